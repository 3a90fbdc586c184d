// Reads an OpenAPI document in YAML, and finds the lines of its members.
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import { InputFault } from '../command-line/input-fault.ts'

const into = (document: Document, node: unknown, step: string): unknown => {
  const at = isAlias(node) ? node.resolve(document) : node
  if (isSeq(at)) return at.items[Number(step)]
  if (!isMap(at)) return undefined
  return at.items.find(({ key }) => isScalar(key) && String(key.value) === step)?.value
}

const startOf = (document: Document, pointer: string): number | undefined => {
  const steps = pointer.split('/').slice(1)
  const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const node = names.reduce<unknown>((at, name) => into(document, at, name), document.contents)
  return isMap(node) || isSeq(node) || isScalar(node) ? node.range?.[0] : undefined
}

/**
 * Parses YAML. `linesAt` has the lines (from 1) of the values at JSON pointers, of those that lead somewhere.
 * @throws {InputFault} with the line that is wrong, without quoting it
 */
export const parseYaml = (text: string, file: string) => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const [error] = document.errors
  if (error !== undefined)
    throw new InputFault(file, lines.linePos(error.pos[0]).line, 'not valid YAML at this line; fix it')
  const linesAt = (pointers: ReadonlySet<string>): Map<string, number> => {
    const found = new Map<string, number>()
    for (const pointer of pointers) {
      const start = startOf(document, pointer)
      if (start !== undefined) found.set(pointer, lines.linePos(start).line)
    }
    return found
  }
  return { data: toData(document, file), linesAt }
}

// Aliases can unfold without end; the library stops at a hundred and throws.
const toData = (document: Document, file: string): unknown => {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    throw new InputFault(
      file,
      undefined,
      'its aliases expand too far or refer to nothing; write them out',
      cause,
    )
  }
}
