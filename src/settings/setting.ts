// What describes one setting, in every file that defines some.
import type { z } from 'zod'

export type Setting = {
  name: string
  /** What is used when the variable is absent; undefined: nothing. */
  default?: string
  required?: true
  /** A secret may also come as NAME_FILE, a path to a file that holds it. */
  secret?: true
  /** It may also be written in lower case, which then counts, as for curl and most other programs. */
  lowerCase?: true
  meaning: string
  schema: z.ZodType
}

/** A part of the table, by name. */
export type Definitions = Record<string, Omit<Setting, 'name'>>
