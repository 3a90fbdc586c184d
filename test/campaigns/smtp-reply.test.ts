// Whose fault a refusal is: replies that providers document, or that people reported. Only what is about a person may mark
// them as refused for good.
import { describe, expect, it } from 'vitest'
import { blameOf, type Blame } from '../../src/campaigns/mail/smtp-reply.ts'

const QUOTAS: [string, string][] = [
  ['Gmail', '550 5.4.5 Daily user sending quota exceeded. o65sm25351206pga.71 - gsmtp'],
  [
    'Gmail',
    '550-5.4.5 Daily user sending limit exceeded. For more information on Gmail\r\n550 5.4.5 sending limits',
  ],
  ['Google relay', '550 5.7.1 Daily SMTP relay limit exceeded for customer. For more information'],
  [
    'Exchange Online',
    '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process',
  ],
  ['Exchange Online', '550 5.2.2 Submission quota exceeded'],
  [
    'Exchange Online',
    "550 5.1.90 Your message can't be sent because you've reached your daily limit for recipients",
  ],
  ['Exchange Online', '550 5.7.705 Access denied, tenant has exceeded threshold'],
  ['Amazon SES', '454 Throttling failure: Daily message quota exceeded.'],
  ['SendGrid', "451 You've exceeded your messaging limits"],
  ['SendGrid', '451 Authentication failed: Maximum credits exceeded'],
  ['MailerSend', '450 Your account reached its email quota limit. Contact support to increase it. #MS42204'],
  ['SparkPost', '550 5.7.1 Exceed Sending Limit (daily)'],
  ['Zoho', '550 5.4.6 mail rate exceeded limit'],
  ['Zoho', '550 5.4.6 Unusual sending activity detected. Please try after sometime'],
  ['GoDaddy', "554 m1plded01-02.prod : DED : You've reached your daily relay quota - 192.0.2.48"],
  [
    'Prolateral',
    '554 5.7.1 <ada@acme.example>: Recipient address rejected: You have exceeded your Outmail quota.',
  ],
  ['cPanel', '550 Domain acme.example has exceeded the max emails per hour (150/150 (100%)) allowed.'],
  [
    'cPanel',
    '550 Domain acme.example has exceeded the max defers and failures per hour (5/5 (100%)) allowed',
  ],
  ['Oracle', '455 Maximum messages sent per day reached : limit is 200'],
  ['Emailit', '452 4.5.3 Daily message limit exceeded'],
  [
    'a host',
    'User search@acme.example has exceeded its 24-hour sending limit. Messages to 25 recipients out of 25',
  ],
  ['GMX', '550-Requested action not taken: mailbox unavailable\r\n550 Failure sending mail. Try again later'],
  ['a host', '550 5.7.1 Outgoing quota exceeded'],
  ['a host', '552 5.2.2 Outgoing mail: sending quota exceeded for this mailbox'],
]

const SYSTEM: [string, string][] = [
  ['Exchange Online', '550 5.7.501 Service unavailable. Spam abuse detected from IP range.'],
  ['Exchange Online', '550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP'],
  [
    'Gmail',
    '550-5.7.1 Our system has detected an unusual rate of unsolicited mail originating from\r\n550 5.7.1 your IP',
  ],
  ['Gmail', '550-5.7.1 [192.0.2.1] Our system has detected that this message is likely unsolicited mail'],
  ['Gmail', "552-5.2.3 Your message exceeded Google's message size limits"],
  [
    'Gmail',
    '550-5.2.1 The user you are trying to contact is receiving mail at a rate that\r\n550 5.2.1 prevents more',
  ],
  ['Barracuda', '554 Mail from 192.0.2.1 refused - see http://www.barracudacentral.example/'],
  ['Exim', '552 Message size exceeds maximum permitted'],
  ['Postfix', '552 5.3.4 Error: message file too big'],
  ['SpamAssassin', '550 5.7.1 Blocked by SpamAssassin: high probability of spam'],
  ['Yahoo', '554 5.7.0 Message not allowed - [PH01] Email not accepted for policy reasons'],
  ['IONOS', '550-Requested action not taken: mailbox unavailable\r\n550 Reject due to policy restrictions'],
]

const SENDER: [string, string][] = [
  ['Exchange Online', '550 5.1.8 Access denied, bad outbound sender'],
  [
    'Amazon SES',
    '554 Message rejected: Email address is not verified. The following identities failed the check',
  ],
  ['Amazon SES', '554 Message rejected: Sending suspended for this account.'],
  ['Mailgun', '554 Sandbox subdomains are for test purposes only. Please add your own domain'],
  ['Mailgun', '550 Domain acme.example is not allowed to send: Please activate your Mailgun account'],
  ['SparkPost', '550 5.7.1 Unconfigured Sending Domain <acme.example>'],
  ['a gateway', '550 5.7.1 Mail from search@acme.example rejected for policy reasons'],
  ['IONOS', '550-Requested action not taken: mailbox unavailable\r\n550 Sender address is not allowed.'],
  ['a host', '550 Your account has been suspended'],
]

const PERSON: [string, string][] = [
  [
    'Gmail',
    '550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550 5.1.1 double-checking',
  ],
  ['Gmail', '552-5.2.2 The email account that you tried to reach is over quota.'],
  ['Gmail', '550 5.2.1 The email account that you tried to reach is disabled.'],
  ['Exchange Online', '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)'],
  [
    'Exchange Online',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  ],
  ['Exchange', '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException'],
  ['Exchange Online', '550 5.4.310 DNS domain acme.invalid does not exist'],
  ['Dovecot', '552 5.2.2 <ada@acme.example> Quota exceeded (mailbox for user is full)'],
  [
    'Postfix',
    '550 5.1.1 <ada@acme.example>: Recipient address rejected: User unknown in virtual mailbox table',
  ],
  [
    'Postfix',
    '550 5.1.0 <ada@acme.example>: Recipient address rejected: undeliverable address: host said: 550',
  ],
  [
    'Exchange',
    '550 5.7.134 RESOLVER.RST.SenderNotAuthenticatedForMailbox; authentication required; Delivery',
  ],
  ['Exchange', '550 5.7.2 mailing list: you are not allowed to send to it'],
  ['Exim', '550 No such user here'],
  ['a host', '550 Requested action not taken: mailbox unavailable'],
  ['GMX', '550-Requested action not taken: mailbox unavailable\r\n550 No such user here'],
  ['a relay', '550-5.7.1 The server behind this one says:\r\n550 5.1.1 of this name there is nobody'],
  ['a host', '552 Mailbox quota exceeded'],
]

const UNCLEAR: [string, string][] = [
  ['Yahoo', "554 delivery error: dd This user doesn't have a yahoo.example account (ada@yahoo.example)"],
  ['Amazon SES', '454 Throttling failure: Maximum sending rate exceeded.'],
  ['Oracle', '455 Maximum messages sent per minute reached : limit is 10'],
  ['Emailit', '452 4.4.5 Messages per second limit exceeded'],
  ['GMX', '550-Requested action not taken: mailbox unavailable\r\n550 Error 17'],
  ['a host', '550 Quota exceeded'],
  ['a host', '550 Account disabled'],
  ['a host', '554 5.7.1 Access denied'],
  ['Postfix', '554 5.7.1 <ada@acme.example>: Recipient address rejected: Access denied'],
  ['Postfix', '450 4.7.1 <ada@acme.example>: Recipient address rejected: Service unavailable'],
  ['a gateway', '550 5.7.1 Recipient rejected by policy'],
  ['Postfix', '451 4.3.0 <ada@acme.example>: Temporary lookup failure'],
  ['Postfix', '452 4.3.1 Insufficient system storage'],
  ['Postfix', '451 4.3.5 Server configuration problem'],
  ['Postfix', '450 4.7.1 Client host rejected: cannot find your hostname, [192.0.2.1]'],
  ['Exchange', '451 4.3.2 Please try again later'],
  ['Exchange Online', '432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded'],
  [
    'Exchange Online',
    '432 4.3.2 Concurrent connections limit exceeded. Visit https://aka.ms/concurrent_sending',
  ],
  ['Exchange Online', '451 4.7.500 Server busy. Please try again later from [192.0.2.1]'],
]

describe.each<[string, Blame, [string, string][]]>([
  ['because of how much was sent', 'system', QUOTAS],
  ['because of this machine or the message', 'system', SYSTEM],
  ['because of the sender', 'sender', SENDER],
  ['because of the person', 'person', PERSON],
  ['for minutes, or without saying why', 'unclear', UNCLEAR],
])('what a mail server refuses %s', (_why, blame, replies) => {
  it.each(replies)('is recognized as %s says it: %s', (_provider, reply) => {
    expect(blameOf(reply)).toBe(blame)
  })
})
