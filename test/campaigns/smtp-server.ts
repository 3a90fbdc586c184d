// Mail servers that a test writes by hand, a line at a time: what each answers, and where it breaks the connection.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** `end` is the final dot of a mail; `body` is the first of it, without the dot. */
export type Stage = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'body' | 'end' | 'after'

export type Received = {
  stage: Stage
  /** The line as it came. */
  line: string
  /** Mails that it has taken so far. */
  taken: number
}

/** undefined: as usual; a number: after so many milliseconds. `break`: the connection ends there, unanswered. Else the reply. */
export type Script = (output: Received) => string | number | undefined

const USUAL: Partial<Record<Stage, string>> = {
  connect: '220 mail.acme.example ESMTP',
  EHLO: '250 mail.acme.example',
  DATA: '354 go on',
  end: '250 2.0.0 taken',
}

/** Opens a port on this machine. `recipients`: whose mail it took. */
export async function startSmtpServer(script: Script) {
  const recipients: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)))
    let isData = false
    let recipient = ''
    const answer = (stage: Stage, line: string) => {
      const given = script({ stage, line, taken: recipients.length })
      const [reply, afterMs] = typeof given === 'number' ? [undefined, given] : [given]
      if (reply === 'break') return socket.destroy()
      const output = reply ?? USUAL[stage] ?? (stage === 'body' || stage === 'after' ? '' : '250 2.1.0 ok')
      if (stage === 'DATA') isData = output.startsWith('354')
      if (stage === 'RCPT') recipient = /<(.*)>/.exec(line)?.[1] ?? ''
      if (stage === 'end' && output.startsWith('250')) recipients.push(recipient)
      if (afterMs !== undefined) setTimeout(() => socket.write(`${output}\r\n`), afterMs)
      else if (output !== '') socket.write(`${output}\r\n`)
      if (stage === 'end') answer('after', line)
      return undefined
    }
    const take = (line: string) => {
      if (!isData) return answer((line.slice(0, 4).toUpperCase() as Stage) ?? 'EHLO', line)
      if (line !== '.') return answer('body', line)
      isData = false
      return answer('end', line)
    }
    let rest = ''
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (!socket.destroyed) take(line)
    })
    answer('connect', '')
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
