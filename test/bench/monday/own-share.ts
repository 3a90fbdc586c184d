// Loaded into onramp before its start: adds to each response the time that the service and the authorization server
// took (x-elsewhere-ms), by diagnostics channels of Node and undici.
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { ServerResponse } from 'node:http'

type Hop = { elsewhere: number }

/** A header of the stand-in's responses. */
const TOOK = 'x-took-ms'
const current = new AsyncLocalStorage<Hop>()
const hops = new WeakMap<ServerResponse, Hop>()
const callers = new WeakMap<object, Hop>()

subscribe('http.server.request.start', (message) => {
  const hop: Hop = { elsewhere: 0 }
  hops.set((message as { response: ServerResponse }).response, hop)
  current.enterWith(hop)
})

/** Every response's head is written here, whichever way it was sent. */
const { prototype } = ServerResponse as unknown as {
  prototype: { writeHead: (this: ServerResponse, ...args: unknown[]) => ServerResponse }
}
const { writeHead } = prototype
prototype.writeHead = function (this: ServerResponse, ...args: unknown[]) {
  const hop = hops.get(this)
  if (hop === undefined) return writeHead.apply(this, args)
  const elsewhere = hop.elsewhere.toFixed(2)
  const last = args.at(-1)
  if (Array.isArray(last)) last.push('x-elsewhere-ms', elsewhere)
  else this.setHeader('x-elsewhere-ms', elsewhere)
  return writeHead.apply(this, args)
}

subscribe('undici:request:create', (message) => {
  const hop = current.getStore()
  if (hop !== undefined) callers.set((message as { request: object }).request, hop)
})

subscribe('undici:request:headers', (message) => {
  const { request, response } = message as { request: object; response: { headers: Buffer[] } }
  const hop = callers.get(request)
  const at = response.headers.findIndex(
    (name, index) => index % 2 === 0 && String(name).toLowerCase() === TOOK,
  )
  if (hop !== undefined && at >= 0) hop.elsewhere += Number(String(response.headers[at + 1]))
})
