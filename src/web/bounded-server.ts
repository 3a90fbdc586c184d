// An HTTP server that a stranger can't fill: bounds for requests, for their bodies, and for connections that wait.
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** `connectionsCheckingInterval`: how late the other limits may take effect; Node's default is 30 s. */
const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
}
/** Node accepts 850 tiny ones, which are 100 kB of objects. */
const MAX_HEADERS = 100
const MAX_BODY_BYTES = 65_536
/** Chunks per body. Each is an object in memory, whatever its length. */
const MAX_CHUNKS = 128
/** Limits all complete responses together that no one has read yet. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024

/** HTTPParser.kOnBody of Node's parser. Without this callback, a chunk costs a tenth. */
const ON_BODY = 3
/**
 * Limits incomplete requests, and refuses pipelined ones (RFC 9112 9.3.2): 64 kB of them could leave 11 MB of responses
 * in memory. Keeps Node from answering requests without Host, or with an unknown expectation.
 * @param maxAwaiting connections that wait for a request, or for a reader of their response: the oldest is closed
 */
export function createBoundedServer(
  listener: RequestListener,
  refuse: (error: NodeJS.ErrnoException, socket: Socket) => void,
  maxAwaiting: number,
): Server {
  function refuseAll(socket: Socket, code: string): void {
    stopReading(socket)
    refuse(Object.assign(new Error(code), { code }), socket)
  }
  /** Connections that wait for the rest of a request, or for a reader of a response; the oldest first. */
  const awaitingClient = new Set<Socket>()
  function closeOldest(): void {
    let bytes = 0
    for (const { writableLength } of awaitingClient) bytes += writableLength
    for (const oldest of awaitingClient) {
      if (awaitingClient.size <= maxAwaiting && bytes <= MAX_UNREAD_BYTES) return
      bytes -= oldest.writableLength
      awaitingClient.delete(oldest)
      oldest.destroy()
    }
  }
  function awaitClient(socket: Socket): void {
    if (socket.destroyed) return
    awaitingClient.delete(socket)
    awaitingClient.add(socket)
    if (awaitingClient.size > maxAwaiting || socket.writableLength > 0) closeOldest()
  }
  const enqueue = createRequestQueue()
  const server = createServer({ ...LIMITS, requireHostHeader: false }, (req, res) => {
    const { socket, headers } = req
    // A response has no socket while it is queued after another one, which may be unread.
    if (res.socket === null) return refuseAll(socket, 'PIPELINED')
    const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
    // A connection no longer waits for a body that ends after its response.
    if (hasBody) req.once('end', () => res.writableEnded || awaitingClient.delete(socket))
    else awaitingClient.delete(socket)
    // Once a response is complete, only its reader delays it.
    for (const event of ['prefinish', 'close']) res.once(event, () => awaitClient(socket))
    if (headers['transfer-encoding'] !== undefined) boundChunks(req, res, refuseAll)
    enqueue(() => {
      // It may have closed, or was refused because of its body.
      if (!socket.writable) return
      if (req.rawHeaders.length > 2 * MAX_HEADERS) return refuseAll(socket, 'TOO_MANY_HEADERS')
      if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) return refuseAll(socket, 'BODY_TOO_LARGE')
      if (headers.host === undefined && req.httpVersion !== '1.0') return refuseAll(socket, 'NO_HOST')
      // Node reads the rest of a body that no route reads, without counting its chunks.
      if (headers['transfer-encoding'] !== undefined) req.resume()
      listener(req, res)
    })
  })
  server.on('connection', (socket: Socket) => {
    awaitClient(socket)
    socket.once('close', () => awaitingClient.delete(socket))
  })
  return server.on('checkExpectation', ({ socket }) => refuseAll(socket, 'UNKNOWN_EXPECTATION'))
}

/** Milliseconds for the requests of one iteration of the event loop. */
const SLICE_MS = 4

/**
 * Spreads requests over iterations of the event loop, because Node accepts one connection in each. If all requests ran
 * in one, a crowd of connections would keep new ones out.
 */
function createRequestQueue() {
  const queue: (() => void)[] = []
  function next(): void {
    const until = performance.now() + SLICE_MS
    do queue.shift()?.()
    while (queue.length > 0 && performance.now() < until)
    if (queue.length > 0) setImmediate(next)
  }
  return (work: () => void): void => {
    if (queue.push(work) === 1) setImmediate(next)
  }
}

/** Counts chunks when they arrive, because no one reads them while the request is queued. */
function boundChunks(
  req: IncomingMessage,
  res: ServerResponse,
  refuseAll: (socket: Socket, code: string) => void,
): void {
  const push = req.push.bind(req)
  let length = 0
  let chunks = 0
  req.push = (chunk: Buffer | null) => {
    length += chunk?.length ?? 0
    if (chunk === null || (length <= MAX_BODY_BYTES && ++chunks <= MAX_CHUNKS)) return push(chunk)
    if (!res.headersSent) refuseAll(req.socket, 'BODY_TOO_LARGE')
    else {
      stopReading(req.socket)
      req.socket.destroySoon()
    }
    return false
  }
}

/** Stops the parser. Node would otherwise create objects for every request and chunk that it has received. */
function stopReading(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { incoming: unknown; [ON_BODY]?: unknown } | null }
  const onBody = parser?.[ON_BODY]
  if (!parser || !onBody) return
  // 2 means that no HTTP follows, as after CONNECT.
  const onIncoming = () => ((parser.incoming = null), 2)
  Object.assign(parser, { onIncoming, incoming: null, [ON_BODY]: undefined })
  // Node reuses the parser for another connection.
  socket.once('close', () => Object.assign(parser, { [ON_BODY]: onBody }))
}
