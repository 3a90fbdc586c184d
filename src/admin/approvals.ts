// What the owner of an app reads about people who wait for it: one email for all of them.
import type { Notice } from '../campaigns/mail/notice.ts'
import type { Approval } from '../people/keep-state.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { NoticeContext } from './notices.ts'

export const approvalPath = (instance: string): string => `/approvals/${encodeURIComponent(instance)}`

function describeApproval({ stage, waiting: count, since, approvedAt }: Approval, app: string, t: Texts) {
  const label = t('approval.done')
  if (stage === 'failed')
    return {
      heading: t('approval.failedTitle', { app }),
      paragraphs: [t('approval.failed', { app, label, day: t.day(approvedAt) })],
    }
  const why = [
    t('approval.saw', { app, label: t('overview.block') }),
    t('approval.since', { day: t.day(since) }),
  ]
  return {
    heading: t('admin.need.app', { app, count }),
    paragraphs: [t.sentences(why), t('approval.next', { label })],
  }
}

/** @param context.where they approve it */
export function approvalNotice(
  one: Approval,
  context: NoticeContext & { where: string | undefined },
): Notice {
  const { t, displayName, publicUrl, where: url } = context
  const app = displayName(one, t.lang)
  const { heading, paragraphs } = describeApproval(one, app, t)
  return {
    subject: heading,
    heading,
    paragraphs: url === undefined ? paragraphs : [...paragraphs, t('approval.where', { url })],
    figures: [],
    needs: [],
    commands: [],
    link: { href: publicUrl + approvalPath(one.instance), label: t('approval.open') },
    owned: app,
  }
}
