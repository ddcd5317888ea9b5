import { isObject } from '@engine/expression/core'
import type { components } from '../api/schema.ts'
import { paths } from '../paths.ts'
import type { Texts } from '../texts/en.ts'
import type { IconName } from '../ui/icon.tsx'

export type Notification = components['schemas']['Notification']

/** A notification in words, with the page of its subject. */
export interface Notice {
  readonly icon: IconName
  readonly text: string
  readonly to: string
}

/** The text of a notification. The platform writes its payload; no type is shared. */
export function noticeOf(
  { kind, ref_id: ref, payload }: Notification,
  oid: string,
  { notices }: Pick<Texts, 'notices'>,
): Notice {
  const said = isObject(payload) ? payload : {}
  const text = (name: string) => (typeof said[name] === 'string' ? said[name] : '')
  const project = text('project_id')
  const release = project === '' ? paths.inbox(oid) : paths.release(oid, project, ref)
  const number = Number(said['number'])
  switch (kind) {
    case 'release_approval_pending':
      return { icon: 'rocket', text: notices.approval(number, text('title')), to: release }
    case 'release_failed':
      return { icon: 'alert', text: notices.failed(number, text('title'), text('error')), to: release }
    case 'release_commented':
      return { icon: 'rocket', text: notices.commented(number, text('title'), text('author')), to: release }
    case 'tests_failed':
      return {
        icon: 'test',
        text: notices.tests(text('name'), Number(said['failed']), Number(said['total'])),
        to: project === '' ? paths.inbox(oid) : paths.tests(oid, project),
      }
    case 'member_changed':
      return { icon: 'users', text: notices.member(text('event'), text('email')), to: paths.members(oid) }
  }
}
