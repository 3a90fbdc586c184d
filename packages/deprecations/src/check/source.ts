// Opens what is to be checked (a file, standard input) as a stream whose beginning can be looked at before it is read.
import { open, type FileHandle } from 'node:fs/promises'
import { InputFault } from '../command-line/input-fault.ts'
import { fileFault } from '../input/json-file.ts'

/** One thing to check. A chunk of `bytes` is valid until the next one is asked for. */
export type Source = {
  name: string
  size: number | undefined
  head: Uint8Array
  bytes: AsyncIterable<Uint8Array>
}

/** Small enough for what is made of it to die young: larger strings wait for a full collection, and memory grows. */
const CHUNK = 64 * 1024

/** So many bytes are enough to detect a format. */
const HEAD = 4096

// One buffer for the whole file, as a new one for each chunk would be memory that the collector hears of too late.
async function* chunksOf(handle: FileHandle, file: string): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK)
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } catch (error) {
    throw fileFault(file, error)
  } finally {
    await handle.close()
  }
}

// A pipe may hand over a few bytes at first: enough of them to detect the format are awaited.
const headOf = async (bytes: AsyncIterator<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  let length = 0
  while (length < HEAD) {
    const next = await bytes.next()
    if (next.done === true) break
    // Copied, as the next read may reuse the memory.
    parts.push(Buffer.from(next.value))
    length += next.value.length
  }
  return Buffer.concat(parts)
}

/** Opens a stream under a name. */
export const openStream = async (
  name: string,
  stream: AsyncIterable<Uint8Array>,
  size?: number,
): Promise<Source> => {
  const rest = stream[Symbol.asyncIterator]()
  const head = await headOf(rest)
  async function* bytes() {
    yield head
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  }
  return { name, size, head, bytes: bytes() }
}

/** Opens a file; throws InputFault when it cannot be read. */
export const openFile = async (file: string): Promise<Source> => {
  try {
    const handle = await open(file)
    const about = await handle.stat()
    return await openStream(file, chunksOf(handle, file), about.isFile() ? about.size : undefined)
  } catch (error) {
    throw error instanceof InputFault ? error : fileFault(file, error)
  }
}

/** The whole of a source as text; throws InputFault when it is larger than `most` bytes. */
export const wholeText = async (source: Source, most: number): Promise<string> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of source.bytes) {
    length += part.length
    if (length > most) {
      const bound = `larger than ${most / 1024 / 1024} MiB, which is the most that is read whole`
      throw new InputFault(source.name, undefined, `${bound}; split it or write NDJSON`)
    }
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}
