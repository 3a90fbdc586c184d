// Scripted mail servers: a test writes the replies line by line, and where the connection breaks.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** `end` is the final dot of a mail; `body` is the first of it, without the dot. */
export type Stage = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'body' | 'end' | 'after'

export type Received = {
  stage: Stage
  /** The received line, unchanged. */
  line: string
  /** Number of emails that the server has accepted so far. */
  taken: number
}

/**
 * The reply; undefined: the default one; a number: the default one after so many milliseconds; `break`: closes the
 * connection.
 */
export type Script = (output: Received) => string | number | undefined

const USUAL: Partial<Record<Stage, string>> = {
  connect: '220 mail.acme.example ESMTP',
  EHLO: '250 mail.acme.example',
  DATA: '354 go on',
  end: '250 2.0.0 taken',
}

/** Listens on loopback. `recipients`: of the accepted emails. */
export async function startSmtpServer(script: Script) {
  const recipients: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)))
    let isData = false
    let recipient = ''
    const reply = (stage: Stage, line: string) => {
      const scripted = script({ stage, line, taken: recipients.length })
      const [text, afterMs] = typeof scripted === 'number' ? [undefined, scripted] : [scripted]
      if (text === 'break') return socket.destroy()
      const output = text ?? USUAL[stage] ?? (stage === 'body' || stage === 'after' ? '' : '250 2.1.0 ok')
      if (stage === 'DATA') isData = output.startsWith('354')
      if (stage === 'RCPT') recipient = /<(.*)>/.exec(line)?.[1] ?? ''
      if (stage === 'end' && output.startsWith('250')) recipients.push(recipient)
      if (afterMs !== undefined) setTimeout(() => socket.write(`${output}\r\n`), afterMs)
      else if (output !== '') socket.write(`${output}\r\n`)
      if (stage === 'end') reply('after', line)
      return undefined
    }
    const take = (line: string) => {
      if (!isData) return reply((line.slice(0, 4).toUpperCase() as Stage) ?? 'EHLO', line)
      if (line !== '.') return reply('body', line)
      isData = false
      return reply('end', line)
    }
    let rest = ''
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (!socket.destroyed) take(line)
    })
    reply('connect', '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    recipients,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
