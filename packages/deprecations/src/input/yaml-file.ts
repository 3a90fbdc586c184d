// Reads an OpenAPI document in YAML, and says on which line a member of it stands.
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import { InputFault } from '../command-line/input-fault.ts'

export type YamlFile = {
  data: unknown
  /** The line (from 1) of the value at a JSON pointer. */
  lineOf: (pointer: string) => number | undefined
}

const into = (document: Document, node: unknown, step: string): unknown => {
  const at = isAlias(node) ? node.resolve(document) : node
  if (isSeq(at)) return at.items[Number(step)]
  if (!isMap(at)) return undefined
  return at.items.find(({ key }) => isScalar(key) && String(key.value) === step)?.value
}

/** The lines of pointers that lead somewhere. */
export const yamlLines =
  ({ lineOf }: YamlFile) =>
  (pointers: ReadonlySet<string>): Map<string, number> => {
    const lines = [...pointers].map((pointer) => [pointer, lineOf(pointer)] as const)
    return new Map(lines.flatMap(([pointer, line]) => (line === undefined ? [] : [[pointer, line]])))
  }

/** Parses YAML; throws InputFault with the line that is wrong, without quoting it. */
export const parseYaml = (text: string, file: string): YamlFile => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const [error] = document.errors
  if (error !== undefined)
    throw new InputFault(file, lines.linePos(error.pos[0]).line, 'not valid YAML at this line; correct it')
  return {
    data: toData(document, file),
    lineOf: (pointer) => {
      const steps = pointer.split('/').slice(1)
      const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      const node = names.reduce<unknown>((at, name) => into(document, at, name), document.contents)
      const range = isMap(node) || isSeq(node) || isScalar(node) ? node.range : undefined
      return range ? lines.linePos(range[0]).line : undefined
    },
  }
}

// Aliases can unfold without end; the library stops at a hundred and throws.
const toData = (document: Document, file: string): unknown => {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    throw new InputFault(file, undefined, 'its aliases unfold too far or lead nowhere; write them out', cause)
  }
}
