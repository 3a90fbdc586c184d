// The walk in three engines.
import { equal } from 'node:assert/strict'
import { invite } from '../../helpers/running.ts'
import { languages } from '../../helpers/texts.ts'
import { walkInEachEngine } from './each-engine.ts'

const APPS = ['Slack', 'GitHub', 'Google Drive', 'Jira', 'Confluence']

walkInEachEngine([
  {
    title: 'leads from one click through every consent to the end',
    advance: 'auto',
    act: async (ada) => {
      await ada.enter()
      await ada.press('.step .button[href^="/onboarding/connect/"]')
      for (const app of APPS) await ada.answer(app, 'allow')
      await ada.reads('All 5 apps are connected.')
    },
  },
  {
    title: 'confirms a slow consent automatically, and starts it only once',
    advance: 'auto',
    act: async (ada, running) => {
      running.sandbox.clearRequests()
      running.sandbox.switches.set({ consentDelaySeconds: 2 })
      await ada.enter()
      await ada.connect('slack_1')
      await ada.answer('Slack', 'allow')
      await ada.reads('Checking Slack…')
      running.sandbox.switches.reset()
      await ada.reads('content you can access in GitHub.')
      equal(running.sandbox.count('authDatasource'), 2)
    },
  },
  {
    title: 'explains a denial to someone, who can try again and skip',
    advance: 'confirm',
    act: async (ada) => {
      await ada.enter()
      await ada.connect('slack_1')
      await ada.answer('Slack', 'deny')
      await ada.reads('Slack isn’t connected yet')
      await ada.connect('slack_1')
      await ada.answer('Slack', 'deny')
      await ada.reads('Slack isn’t connected yet')
      await ada.press('form[action="/onboarding/skip/slack_1"] button')
      await ada.reads('Slack skipped')
      await ada.press('form[action="/onboarding/unskip/slack_1"] button')
      await ada.until(`document.querySelector('form[action="/onboarding/skip/slack_1"]') !== null`)
    },
  },
  {
    title: 'keeps two tabs apart',
    advance: 'confirm',
    act: async (ada, running) => {
      await ada.enter()
      const second = await ada.another()
      await second.tab.open(`${running.url}/onboarding`)
      await ada.connect('slack_1')
      await second.connect('github_1')
      await ada.answer('Slack', 'allow')
      await ada.reads('Slack connected')
      await second.answer('GitHub', 'allow')
      await second.reads('GitHub connected')
      await second.reads('2 of 5 connected')
    },
  },
  {
    title: 'survives the back button on the consent page, and after the return',
    advance: 'confirm',
    goesBack: true,
    act: async (ada, running) => {
      await ada.enter()
      await ada.connect('slack_1')
      await ada.reads('content you can access in Slack.')
      await ada.tab.back()
      await ada.reads('Connect your apps to search')
      await ada.connect('slack_1')
      await ada.answer('Slack', 'allow')
      await ada.reads('Slack connected')
      await ada.tab.back()
      await ada.tab.open(`${running.url}/onboarding`)
      await ada.reads('1 of 5 connected')
    },
  },
  {
    title: 'signs out here and at the authorization server',
    advance: 'confirm',
    act: async (ada, running) => {
      await ada.enter()
      await ada.press('form[action="/sign-out"] button')
      await ada.reads('Signing you out')
      await ada.until("location.pathname === '/signed-out'")
      await ada.tab.open(`${running.url}/onboarding`)
      await ada.reads('Choose an account')
      await ada.until("!document.body.innerText.includes('Currently signed in')")
    },
  },
  {
    title: 'shows nothing to someone who presses back as soon as the sign-out is done here',
    advance: 'confirm',
    goesBack: true,
    act: async (ada) => {
      await ada.enter()
      await ada.reads('Google Drive')
      await ada.press('form[action="/sign-out"] button')
      await ada.reads('Signing you out')
      await ada.tab.back()
      await ada.reads('Choose an account')
    },
  },
  {
    title: 'leads from an invitation to the end',
    advance: 'auto',
    act: async (ada, running) => {
      const token = invite(running, { email: `${ada.id}@acme.example` })
      await ada.tab.open(`${running.url}/invite/${token}`)
      await ada.press(`a[href="/invite/${token}/start"]`)
      await ada.chooseAccount()
      await ada.press('.step .button[href^="/onboarding/connect/"]')
      for (const app of APPS) await ada.answer(app, 'allow')
      await ada.reads('You’re all set')
    },
  },
  {
    title: 'speaks Arabic from right to left, to the end',
    advance: 'auto',
    act: async (ada) => {
      const t = languages.byTag('ar')
      await ada.enter('/onboarding?lang=ar')
      await ada.reads(t('overview.title'))
      await ada.until("getComputedStyle(document.querySelector('h1')).direction === 'rtl'")
      // Nothing overflows on the left side, where no scroll bar would show it.
      await ada.until('document.documentElement.scrollWidth <= innerWidth')
      await ada.press('.step .button[href^="/onboarding/connect/"]')
      for (const app of APPS) await ada.answer(app, 'allow')
      await ada.reads(t('finished.title'))
    },
  },
])
