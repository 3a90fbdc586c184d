// The service, as little of it as there can be: every request is answered with the same five datasources. It speaks
// just enough HTTP over plain sockets that it takes next to nothing of the processor that it shares.
import { createServer } from 'node:net'

const END_OF_HEAD = '\r\n\r\n'

const body = JSON.stringify({
  unauthorizedDatasourceInstances: ['Slack', 'GitHub', 'Google Drive', 'Jira', 'Confluence'].map(
    (displayName, index) => {
      const datasourceInstance = `${displayName.toLowerCase().replaceAll(' ', '')}_${index + 1}`
      const token = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'
      const authUrlRelativePath = `/auth/datasource/${datasourceInstance}?token=${token}`
      return { datasourceInstance, displayName, authStatus: 'AWAITING_AUTH', authUrlRelativePath }
    },
  ),
})

const answer = Buffer.from(
  [
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: keep-alive',
    '',
    body,
  ].join('\r\n'),
)

const server = createServer({ noDelay: true }, (socket) => {
  let unread = ''
  // None of the requests has a body (contract 4.1), so an empty line ends each of them.
  socket.on('data', (chunk: Buffer) => {
    unread += chunk.toString('latin1')
    for (let end = unread.indexOf(END_OF_HEAD); end >= 0; end = unread.indexOf(END_OF_HEAD)) {
      unread = unread.slice(end + END_OF_HEAD.length)
      socket.write(answer)
    }
  })
  socket.on('error', () => socket.destroy())
})
server.listen(Number(process.env['PORT']), '127.0.0.1')
