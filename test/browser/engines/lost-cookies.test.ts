// Browsers delete cookies when they see fit, also in mid-walk: the person is told, and can go on.
import { walkInEachEngine } from './each-engine.ts'

walkInEachEngine([
  {
    title: 'goes on at the same step where our own cookie is lost on the way',
    world: 'stepwise',
    act: async (ada, running) => {
      await ada.enter()
      await ada.connect('slack_1')
      await ada.reads('content you can access in Slack.')
      await ada.tab.forget(`${running.url}/healthz`)
      await ada.answer('Slack', 'allow')
      await ada.reads('Slack connected')
    },
  },
  {
    title: 'starts the sign-in again where our cookie is lost while an account is chosen',
    world: 'stepwise',
    act: async (ada, running) => {
      await ada.tab.open(`${running.url}/onboarding`)
      await ada.reads('Choose an account')
      await ada.tab.forget(`${running.url}/healthz`)
      await ada.chooseAccount()
      await ada.reads('Connect your apps to search')
    },
  },
  {
    title: 'says so where the authorization server lost its own cookie, and a new visit goes on',
    world: 'stepwise',
    act: async (ada, running) => {
      await ada.tab.open(`${running.url}/onboarding`)
      await ada.reads('Choose an account')
      await ada.tab.forget(`${running.sandbox.urls.authorizationServer}/`)
      await ada.press(`button[name=person][value="${ada.id}"]`)
      await ada.reads('This sign-in has expired')
      await ada.enter()
      await ada.reads('Connect your apps to search')
    },
  },
  {
    title: 'goes on where the authorization server forgot the person in mid-walk',
    world: 'stepwise',
    act: async (ada, running) => {
      await ada.enter()
      await ada.tab.forget(`${running.sandbox.urls.authorizationServer}/`)
      await ada.connect('slack_1')
      await ada.answer('Slack', 'allow')
      await ada.reads('Slack connected')
      await ada.tab.forget(`${running.url}/healthz`)
      await ada.tab.open(`${running.url}/onboarding`)
      await ada.chooseAccount()
      await ada.reads('1 of 5 connected')
    },
  },
])
