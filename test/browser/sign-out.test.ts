// Signing out in real Chromium: here, at the authorization server, and back; nothing is left to look at.
import { describe, expect, it } from 'vitest'
import { useSite, type Visitor } from './visitor.ts'

const site = useSite()

const signOut = (visitor: Visitor) => visitor.choose('button', 'Sign out')

describe('signing out in Chromium', () => {
  it.each([true, false])(
    'ends here and at the authorization server (script: %s)',
    async (javaScriptEnabled) => {
      const ada = await site.arrive({ person: 'ada', javaScriptEnabled })
      await ada.open()

      await signOut(ada)

      await ada.page.waitForURL(/\/signed-out/)
      await ada.reads('You’re signed out')
      expect(ada.requests.some((request) => request.url().includes('id_token_hint='))).toBe(true)
      expect(ada.complaints).toEqual([])
      await ada.page.getByRole('link', { name: 'Sign in again' }).click()
      await ada.reads('Choose an account')
      expect(await ada.text()).not.toContain('Currently signed in')
      await ada.leave()
    },
  )

  it('leaves nothing to see for whoever presses back', async () => {
    const ada = await site.arrive({ person: 'ada' })
    await ada.open()
    await ada.reads('Google Drive')
    await signOut(ada)
    await ada.page.waitForURL(/\/signed-out/)

    for (let presses = 0; presses < 3; presses++) {
      await ada.page.goBack().catch(() => undefined)
      expect(await ada.text()).not.toContain('Google Drive')
    }
    await ada.leave()
  })

  it('lets someone else sign in from "Switch account"', async () => {
    const ada = await site.arrive({ person: 'ada' })
    await ada.open()

    await ada.choose('link', 'Switch account')
    await ada.chooseAccount('bob')

    await ada.reads('bob@acme.example')
    await ada.reads('0 of 2 connected')
    expect(ada.complaints).toEqual([])
    await ada.leave()
  })
})
