import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { notices } from '../texts/en/inbox.ts'
import { type Notification, noticeOf } from './notification-text.ts'

const notice = (kind: Notification['kind'], payload: Value) =>
  noticeOf({ kind, ref_id: 'rel', payload } as unknown as Notification, 'o', { notices })

const RELEASE = { project_id: 'p', number: 7, title: 'Fees', error: 'no engine', author: 'Ana' }
const RUN = { project_id: 'p', name: 'fee', failed: 2, total: 9 }

test.each<[kind: Notification['kind'], payload: Value, icon: string, text: string, to: string]>([
  ['release_approval_pending', RELEASE, 'rocket', 'Release 7, Fees, waits for your approval', '/o/o/p/p/releases/rel'],
  ['release_failed', RELEASE, 'alert', 'Release 7, Fees, has failed: no engine', '/o/o/p/p/releases/rel'],
  ['release_failed', { number: 7, title: 'Fees' }, 'alert', 'Release 7, Fees, has failed', '/o/o/inbox'],
  ['release_commented', RELEASE, 'rocket', 'Ana commented on release 7, Fees', '/o/o/p/p/releases/rel'],
  ['tests_failed', RUN, 'test', 'Tests of fee that you ran: 2 of 9 failed', '/o/o/p/p/tests'],
  ['tests_failed', { ...RUN, project_id: null }, 'test', 'Tests of fee that you ran: 2 of 9 failed', '/o/o/inbox'],
  ['member_changed', { event: 'joined', email: 'a@b.c' }, 'users', 'a@b.c has joined', '/o/o/members'],
  ['member_changed', 'none', 'users', 'The roles of  were changed', '/o/o/members'],
])('the notification %s with %j', (kind, payload, icon, text, to) => {
  expect(notice(kind, payload)).toEqual({ icon, text, to })
})
