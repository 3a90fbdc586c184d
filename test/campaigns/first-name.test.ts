// The name in a greeting: the given name, or the whole name if in doubt.
import { expect, it } from 'vitest'
import { firstNameIn } from '../../src/campaigns/mail/first-name.ts'

it.each([
  ['Ada Lovelace', 'Ada'],
  ['Lovelace, Ada', 'Ada'],
  ['  Lovelace , Ada Augusta ', 'Ada'],
  ['Ada Lovelace, PhD', 'Ada'],
  ['Lovelace, Dr. Ada', 'Ada'],
  ['Prof. Dr. Ada Lovelace', 'Ada'],
  ['Jean-Pierre Martin', 'Jean-Pierre'],
  ['D’Arcy Thompson', 'D’Arcy'],
  ['Łucja Nowak', 'Łucja'],
  ['ليلى حسن', 'ليلى'],
  ['נועה כהן', 'נועה'],
  ['Ada', 'Ada'],
  ['ADA LOVELACE', 'ADA'],
  ['Ada <b>&', 'Ada'],
  ['Lovelace, Ada (IT)', 'Ada'],
  ['', ''],
])('the greeting of %j has the given name: %j', (name, first) => {
  expect(firstNameIn(name)).toBe(first)
})

it.each([
  'A. Lovelace',
  'Lovelace, A.',
  'J.R.R. Tolkien',
  'LOVELACE Ada',
  'de la Cruz Maria',
  'عبد الله حسن',
  'Abdul Rahman Hassan',
  'Lovelace, Ada, IT',
  '(EXT) Ada Lovelace',
  'ada.lovelace@acme.example',
  'svc_jira 01',
  '山田 太郎',
  '王小明',
  '김 민준',
])('the greeting of %j has the whole name', (name) => {
  expect(firstNameIn(name)).toBe(name)
})

it.each([
  ['Nguyễn Văn An', 'vi'],
  ['Yamada Taro', 'ja-JP'],
])('the greeting of %j in %s has the whole name, family name first', (name, language) => {
  expect(firstNameIn(name, language)).toBe(name)
})
