// An HTTP server that a stranger can't fill: bounds for requests, for their bodies, and for connections that wait.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { refuseMalformed } from './malformed.ts'

/** `connectionsCheckingInterval`: how late the other limits may take effect; Node's default is 30 s. */
const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
}
const MAX_BODY_BYTES = 65_536
/** Chunks per body. Each is an object in memory, whatever its length. */
const MAX_CHUNKS = 128

/** HTTPParser.kOnBody of Node's parser. Without this callback, a chunk costs a tenth. */
const ON_BODY = 3
type Parser = { incoming: unknown; [ON_BODY]?: unknown }

/**
 * Limits incomplete requests, and refuses pipelined ones (RFC 9112 9.3.2): 64 kB of them could leave 11 MB of responses
 * in memory. Keeps Node from answering requests without Host, or with an unknown expectation.
 * @param maxWaiting connections that wait for a request, or for a reader of their response: the oldest is closed
 */
export function createBoundedServer(
  listener: RequestListener,
  refuse: ReturnType<typeof refuseMalformed>,
  maxWaiting: number,
): Server {
  /** Node would otherwise create objects for every request and chunk that it has received. */
  function stopReading(socket: Socket): void {
    const { parser } = socket as Socket & { parser?: Parser | null }
    const onBody = parser?.[ON_BODY]
    if (!parser || !onBody) return
    // 2 means that no HTTP follows, as after CONNECT.
    const onIncoming = () => ((parser.incoming = null), 2)
    Object.assign(parser, { onIncoming, incoming: null, [ON_BODY]: undefined })
    // Node reuses the parser for another connection.
    socket.once('close', () => Object.assign(parser, { [ON_BODY]: onBody }))
  }
  function refuseAll(socket: Socket, code: string): void {
    stopReading(socket)
    refuse(Object.assign(new Error(code), { code }), socket)
  }
  /** Connections whose next request isn't complete, or whose response no one has read yet; the oldest first. */
  const waitingSockets = new Set<Socket>()
  function awaitRequest(socket: Socket): void {
    if (socket.destroyed) return
    waitingSockets.delete(socket)
    waitingSockets.add(socket)
    const [oldest] = waitingSockets
    if (waitingSockets.size > maxWaiting) oldest?.destroy()
  }
  const server = createServer({ ...LIMITS, requireHostHeader: false }, (req, res) => {
    const { socket, headers } = req
    const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
    // A connection no longer waits for a body that ends after its response.
    if (hasBody) req.once('end', () => res.writableEnded || waitingSockets.delete(socket))
    else waitingSockets.delete(socket)
    // Once a response is complete, only its reader delays it.
    for (const event of ['prefinish', 'close']) res.once(event, () => awaitRequest(socket))
    // A response has no socket while it is queued after another one.
    if (res.socket === null) return refuseAll(socket, 'PIPELINED')
    // Node reads the rest of a body that no route reads.
    let length = Number(headers['content-length'] ?? 0)
    if (length > MAX_BODY_BYTES) return refuseAll(socket, 'BODY_TOO_LARGE')
    let chunks = 0
    if (headers['transfer-encoding'] !== undefined)
      req.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length <= MAX_BODY_BYTES && ++chunks <= MAX_CHUNKS) return
        if (!res.headersSent) return refuseAll(socket, 'BODY_TOO_LARGE')
        stopReading(socket)
        socket.destroySoon()
      })
    const hasHost = headers.host !== undefined || req.httpVersion === '1.0'
    return hasHost ? listener(req, res) : refuseAll(socket, 'NO_HOST')
  })
  server.on('connection', (socket: Socket) => {
    awaitRequest(socket)
    socket.once('close', () => waitingSockets.delete(socket))
  })
  return server.on('checkExpectation', ({ socket }) => refuseAll(socket, 'UNKNOWN_EXPECTATION'))
}
