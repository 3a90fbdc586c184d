// The routes of the app, read from the app itself, so that a test of all routes includes new ones.
import { createOnramp } from '../../src/compose.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'

type Layer = {
  route?: { path: string | string[]; methods: Record<string, boolean> }
  handle: { stack?: Layer[] }
}

/** The path patterns of a method, in an app with these settings and a store of its own. */
export async function routesFor(
  method: 'get' | 'post',
  settings: Record<string, string | undefined>,
): Promise<string[]> {
  const ownSettings = { ...settings, REDIS_URL: '', DATA_DIR: `${settings['DATA_DIR']}/routes` }
  const onramp = createOnramp(loadSettings(ownSettings), createLog('silent'))
  const routesIn = (layers: Layer[]): string[] =>
    layers.flatMap(({ route, handle }) =>
      route === undefined ? routesIn(handle.stack ?? []) : route.methods[method] ? [route.path].flat() : [],
    )
  const found = routesIn(onramp.app.router.stack as unknown as Layer[])
  await onramp.close()
  return found
}
