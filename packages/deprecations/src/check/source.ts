// Opens a file or standard input as a stream whose beginning can be looked at before it is read.
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

/** Small enough that what is made of it dies young: larger strings wait for a full collection, and memory grows. */
const CHUNK = 64 * 1024

/** Enough bytes to detect a format. */
const HEAD = 4096

// One buffer for the whole file: with a new one for each chunk, memory grows before the collector runs.
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

/** Opens a stream under a name. */
export const openStream = async (
  name: string,
  stream: AsyncIterable<Uint8Array>,
  size?: number,
): Promise<Source> => {
  const rest = stream[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  // A pipe may hand over a few bytes at first: enough of them to detect the format are awaited.
  while (head.length < HEAD) {
    const next = await rest.next()
    if (next.done === true) break
    // Copied, as the next read may reuse the memory.
    head = Buffer.concat([head, next.value])
  }
  async function* bytes() {
    yield head
    yield* { [Symbol.asyncIterator]: () => rest }
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
      const bound = `larger than ${most / 1024 / 1024} MiB, the maximum for this format`
      throw new InputFault(source.name, undefined, `${bound}; split it or write NDJSON`)
    }
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}
