import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import { Author } from '../frame/author.tsx'
import { NoticeList } from '../frame/notice-list.tsx'
import { useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useAgo } from '../texts/ago.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { ListTable, More } from '../ui/list.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Pending } from '../ui/states.tsx'
import { InvitationList, INVITATIONS } from './invitations.tsx'

const ORGANIZATION = '/api/v1/orgs/{oid}'
const NOTIFICATIONS = `${ORGANIZATION}/notifications` as const
/** Events cover the open project only; releases of other projects are polled. */
const POLL_INTERVAL_MS = 15_000

/** Items that wait for the user: approvals, unanswered invitations, notifications. */
export function InboxPage() {
  const { inbox: texts } = useTexts()
  const mayInvite = useMay('member.manage')
  return (
    <Page title={texts.title} text={texts.text}>
      <Approvals />
      {mayInvite && <Invitations />}
      <Notices />
    </Page>
  )
}

function Approvals() {
  const { inbox: texts, releases } = useTexts()
  const { oid } = useIds()
  const time = useTime()
  const ago = useAgo()
  const list = useList(
    `${ORGANIZATION}/releases/pending-for-me`,
    { path: { oid } },
    { refetchInterval: POLL_INTERVAL_MS },
  )
  const projects = useList(`${ORGANIZATION}/projects`, { path: { oid } }).items
  return (
    <>
      <h2>{texts.approvals}</h2>
      <ListTable
        name={texts.approvals}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: releases.name,
            cell: ({ number, title, project_id: pid }) => <Go to={paths.release(oid, pid, number)}>{title}</Go>,
          },
          {
            title: texts.project,
            cell: ({ project_id: pid }) => projects?.find(({ id }) => id === pid)?.name ?? '',
          },
          { title: releases.rulesets, cell: ({ rulesets }) => rulesets.map(({ name }) => name).join(', ') },
          { title: releases.environments, cell: ({ environments }) => environments.join(', ') },
          { title: texts.author, cell: ({ created_by: by }) => <Author id={by} /> },
          {
            title: releases.at,
            cell: ({ created_at: at }) => (
              <time className="muted" dateTime={at} title={time(at)}>
                {ago(at)}
              </time>
            ),
          },
        ]}
        empty={<Empty picture="tray" title={texts.noApprovals} text={texts.noApprovalsText} />}
      />
    </>
  )
}

/** Open invitations, if there are any. */
function Invitations() {
  const { inbox: texts } = useTexts()
  const { oid } = useIds()
  const { items = [] } = useList(INVITATIONS, { path: { oid } })
  if (items.length === 0) return null
  return (
    <>
      <h2>{texts.invitations}</h2>
      <InvitationList />
    </>
  )
}

function Notices() {
  const { notices: texts } = useTexts()
  const { oid } = useIds()
  const [isUnreadOnly, setUnreadOnly] = useState(false)
  const list = useList(NOTIFICATIONS, { path: { oid }, query: { unread_only: isUnreadOnly } })
  const readAll = useSend('post', `${NOTIFICATIONS}/read-all`, [NOTIFICATIONS, `${NOTIFICATIONS}/count`])
  return (
    <>
      <div className="row wrap">
        <h2>{texts.title}</h2>
        <span className="grow" />
        <label className="check">
          <input type="checkbox" checked={isUnreadOnly} onChange={({ target }) => setUnreadOnly(target.checked)} />
          {texts.unreadOnly}
        </label>
        <button
          type="button"
          className="btn"
          disabled={readAll.isPending}
          onClick={() => readAll.mutate({ path: { oid } })}
        >
          {texts.readAll}
        </button>
      </div>
      <section className="card" aria-label={texts.title}>
        {list.items === undefined ? <Pending of={list} /> : <NoticeList items={list.items} />}
        <More list={list} />
      </section>
    </>
  )
}
