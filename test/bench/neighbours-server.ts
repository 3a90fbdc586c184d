// The service and the authorization server, in one process: everyone has the same five apps, and each sign-in is a new
// person's. They do as little as they can, because they share a processor with the load.
import { createServer } from 'node:http'
import { createAuthorizationServer } from './authorization-server.ts'

const port = Number(process.env['PORT'])
const issuer = `http://127.0.0.1:${port}`
let people = 0
const authorizationResponse = createAuthorizationServer(issuer, () => people++)

const token = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'
const check = JSON.stringify({
  unauthorizedDatasourceInstances: ['Slack', 'GitHub', 'Google Drive', 'Jira', 'Confluence'].map(
    (displayName, index) => {
      const datasourceInstance = `${displayName.toLowerCase().replaceAll(' ', '')}_${index + 1}`
      const authUrlRelativePath = `/auth/datasource/${datasourceInstance}?token=${token}`
      return { datasourceInstance, displayName, authStatus: 'AWAITING_AUTH', authUrlRelativePath }
    },
  ),
})

createServer((req, res) => {
  res.setHeader('Content-Type', 'application/json')
  if (req.url?.startsWith('/rest/') === true) return res.end(check)
  void authorizationResponse(req, new URL(req.url ?? '', issuer)).then((response = { json: {} }) =>
    'location' in response ? res.writeHead(303, response).end() : res.end(JSON.stringify(response.json)),
  )
}).listen(port, '127.0.0.1')
