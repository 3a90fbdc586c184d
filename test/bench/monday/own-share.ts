// Loaded into onramp before it starts: tells with each answer how long it took (x-inside-ms) and how much of that the
// service and the authorization server say they took (x-elsewhere-ms). It listens to what Node and undici announce, and
// changes nothing that onramp does.
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { ServerResponse } from 'node:http'

type Hop = { from: number; elsewhere: number }

const TOOK = 'x-took-ms'
const current = new AsyncLocalStorage<Hop>()
const hops = new WeakMap<ServerResponse, Hop>()
const callers = new WeakMap<object, Hop>()

subscribe('http.server.request.start', (message) => {
  const hop: Hop = { from: performance.now(), elsewhere: 0 }
  hops.set((message as { response: ServerResponse }).response, hop)
  current.enterWith(hop)
})

/** Where every answer's head is written, whatever is done on the way there. */
const answers = ServerResponse.prototype as unknown as {
  writeHead: (this: ServerResponse, ...args: unknown[]) => ServerResponse
}
const { writeHead } = answers
answers.writeHead = function (this: ServerResponse, ...args: unknown[]) {
  const hop = hops.get(this)
  if (hop === undefined) return writeHead.apply(this, args)
  const inside = (performance.now() - hop.from).toFixed(2)
  const elsewhere = hop.elsewhere.toFixed(2)
  const last = args.at(-1)
  if (Array.isArray(last)) {
    const said = [...(last as unknown[]), 'x-inside-ms', inside, 'x-elsewhere-ms', elsewhere]
    return writeHead.apply(this, [...args.slice(0, -1), said])
  }
  this.setHeader('x-inside-ms', inside).setHeader('x-elsewhere-ms', elsewhere)
  return writeHead.apply(this, args)
}

subscribe('undici:request:create', (message) => {
  const hop = current.getStore()
  if (hop !== undefined) callers.set((message as { request: object }).request, hop)
})

subscribe('undici:request:headers', (message) => {
  const { request, response } = message as { request: object; response: { headers: Buffer[] } }
  const hop = callers.get(request)
  if (hop === undefined) return
  const at = response.headers.findIndex(
    (name, index) => index % 2 === 0 && String(name).toLowerCase() === TOOK,
  )
  if (at >= 0) hop.elsewhere += Number(String(response.headers[at + 1]))
})
