// Opens a server of a test.
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** @param port default: any free one @returns the port */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  await once(server.listen(port, host), 'listening')
  return (server.address() as AddressInfo).port
}
