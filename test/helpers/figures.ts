// The figures of admin pages, each with the list of people that it opens.
type Counted = { count: number; href: string }

/** All elements of a page with a number and a link to a list of people. */
export function figuresIn(page: unknown): Counted[] {
  if (typeof page !== 'object' || page === null) return []
  const { count, href } = page as Partial<Counted>
  const own =
    typeof count === 'number' && href?.startsWith('/admin/people?') === true ? [{ count, href }] : []
  return [...own, ...Object.values(page).flatMap(figuresIn)]
}
