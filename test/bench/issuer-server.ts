// The authorization server of the benchmark: whoever comes is signed in as a person who was never there before.
import { createServer } from 'node:http'
import { createAuthorizationServer } from './authorization-server.ts'

const port = Number(process.env['PORT'])
const issuer = `http://127.0.0.1:${port}`
let people = 0
const answerOf = createAuthorizationServer(issuer, () => people++)

const server = createServer((req, res) => {
  void answerOf(req, new URL(req.url ?? '', issuer)).then((answer = { json: {} }) => {
    if ('location' in answer) return res.writeHead(303, answer).end()
    return res.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer.json))
  })
})
server.listen(port, '127.0.0.1')
