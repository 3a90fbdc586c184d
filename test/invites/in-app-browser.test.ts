import { expect, it } from 'vitest'
import { isInAppBrowser } from '../../src/invites/routes.ts'

const IOS = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9'

it.each([
  [
    'a web view of Android',
    `${ANDROID}; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0 Mobile`,
  ],
  ['a web view of iOS', `${IOS} Mobile/15E148`],
  ['a social network', `${IOS} Version/18.5 Mobile/15E148 Safari/604.1 [FBAN/FBIOS;FBAV/500.0]`],
  ['a chat program', `${IOS} Mobile/15E148 Slack/25.10.0`],
])('sees %s', (_what, userAgent) => {
  expect(isInAppBrowser(userAgent)).toBe(true)
})

it.each([
  ['Safari', `${IOS} Version/18.5 Mobile/15E148 Safari/604.1`],
  ['Chrome on iOS', `${IOS} CriOS/140.0 Mobile/15E148 Safari/604.1`],
  ['Firefox on iOS', `${IOS} FxiOS/143.0 Mobile/15E148 Safari/605.1.15`],
  [
    'Chrome on Android',
    `${ANDROID}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36`,
  ],
  ['Firefox', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'],
  ['a program', 'curl/8.5.0'],
  ['nothing', undefined],
])('takes %s for no such thing', (_what, userAgent) => {
  expect(isInAppBrowser(userAgent)).toBe(false)
})
