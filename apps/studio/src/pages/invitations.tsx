import { useList, useSend } from '../api/data.ts'
import { PeopleTabs } from '../frame/page-tabs.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { usePageTexts } from '../texts/page-texts.ts'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

export const INVITATIONS = '/api/v1/orgs/{oid}/invitations'

/** Invited people who have not yet accepted. */
export function InvitationsPage() {
  const { inbox: texts } = useTexts()
  return (
    <Page title={texts.invitations} text={texts.invitationsText} tabs={<PeopleTabs />}>
      <InvitationList />
    </Page>
  )
}

/** Open invitations, which can be withdrawn. */
export function InvitationList() {
  const { inbox: texts } = useTexts()
  const { members } = usePageTexts()
  const { oid } = useIds()
  const time = useTime()
  const list = useList(INVITATIONS, { path: { oid } })
  const revoke = useSend('delete', `${INVITATIONS}/{id}`, [INVITATIONS, '/api/v1/orgs/{oid}/members'])
  return (
    <ListTable
      name={texts.invitations}
      list={list}
      keyOf={({ id }) => id}
      columns={[
        { title: members.email, cell: ({ email }) => email },
        { title: members.roles, cell: ({ roles }) => roles.join(', ') },
        { title: texts.expires, cell: ({ expires_at: at }) => <span className="muted tnum">{time(at)}</span> },
        {
          title: texts.revoke,
          kind: 'actions',
          cell: ({ id }) => (
            <PermissionButton right="member.manage" kind="quiet" run={() => revoke.mutate({ path: { oid, id } })}>
              {texts.revoke}
            </PermissionButton>
          ),
        },
      ]}
      empty={<Empty picture="people" title={texts.noInvitations} text={texts.noInvitationsText} />}
    />
  )
}
