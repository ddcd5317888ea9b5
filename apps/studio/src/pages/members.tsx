import { useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton, MakeButton } from '../frame/permission-button.tsx'
import { PeopleTabs } from '../frame/page-tabs.tsx'
import { useIds, useOrganization } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { Confirm } from '../ui/confirm.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Box } from '../ui/dialog.tsx'
import { FormBox } from '../ui/form.tsx'
import type { FormField } from '../ui/form-fields.ts'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { type SuggestedRole, suggestedRoles } from './suggested-roles.ts'

type Member = components['schemas']['Member']
const MEMBERS = '/api/v1/orgs/{oid}/members'
const ROLES = '/api/v1/orgs/{oid}/roles'

type Open =
  | { readonly kind: 'invite' }
  | { readonly kind: 'roles' | 'remove'; readonly member: Member }
  | { readonly kind: 'invited'; readonly url: string | undefined }

/** The members of the organization, and their roles. */
export function MembersPage() {
  const { members: texts } = usePageTexts()
  const { oid } = useIds()
  const list = useList(MEMBERS, { path: { oid } })
  const [open, setOpen] = useState<Open>()
  return (
    <Page
      title={texts.title}
      text={texts.text}
      tabs={<PeopleTabs />}
      actions={<MakeButton right="member.manage" label={texts.invite} run={() => setOpen({ kind: 'invite' })} />}
    >
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ display_name: name, email }) => (name === '' ? email : name) },
          { title: texts.email, cell: ({ email }) => email },
          {
            title: texts.roles,
            cell: ({ roles }) => (
              <span className="row wrap">
                {roles.map((role) => (
                  <span key={role} className="tag">
                    {role}
                  </span>
                ))}
              </span>
            ),
          },
          {
            title: texts.status,
            cell: ({ status, inherited_from: from }) => (
              <span className="tag" data-tone={status === 'active' ? 'ok' : 'warn'}>
                {from === null ? texts.statuses[status] : texts.inherited}
              </span>
            ),
          },
          {
            title: texts.actions,
            kind: 'actions',
            cell: (member) =>
              member.inherited_from === null && (
                <span className="row">
                  <PermissionButton right="member.manage" kind="quiet" run={() => setOpen({ kind: 'roles', member })}>
                    {texts.changeRoles}
                  </PermissionButton>
                  <PermissionButton right="member.manage" kind="quiet" run={() => setOpen({ kind: 'remove', member })}>
                    {texts.remove}
                  </PermissionButton>
                </span>
              ),
          },
        ]}
        empty={null}
      />
      {open?.kind === 'invite' && (
        <Invite close={() => setOpen(undefined)} done={(url) => setOpen({ kind: 'invited', url })} />
      )}
      {open?.kind === 'roles' && <ChangeRoles member={open.member} close={() => setOpen(undefined)} />}
      {open?.kind === 'remove' && <Remove member={open.member} close={() => setOpen(undefined)} />}
      {open?.kind === 'invited' && (
        <Box title={texts.invited} close={() => setOpen(undefined)}>
          {open.url === undefined ? <p>{texts.mailed}</p> : <p>{texts.giveLink}</p>}
          {open.url !== undefined && <CodeBlock text={open.url} label={texts.link} />}
        </Box>
      )}
    </Page>
  )
}

function useRoles() {
  const { oid } = useIds()
  return useGet(ROLES, { path: { oid } }).data
}

/** Roles that most organizations need and the user may create, except those that already exist. */
function useSuggestedRoles(existing: readonly components['schemas']['Role'][]): readonly SuggestedRole[] {
  const { members: texts } = usePageTexts()
  const rights = useOrganization()?.my_permissions ?? []
  return suggestedRoles({ riskOfficer: texts.riskOfficer, ruleAuthor: texts.ruleAuthor }, rights, existing)
}

function useRoleField(suggested: readonly { readonly name: string }[] = []) {
  const { members: texts } = usePageTexts()
  const options = [
    ...(useRoles()?.items ?? []).map(({ name }) => ({ value: name, label: name })),
    ...suggested.map(({ name }) => ({ value: name, label: texts.newRole(name) })),
  ]
  return { name: 'roles', label: texts.roles, kind: 'checks', options } as const satisfies FormField
}

function Invite({ close, done }: { readonly close: () => void; readonly done: (url: string | undefined) => void }) {
  const { members: texts } = usePageTexts()
  const { oid } = useIds()
  const existing = useRoles()
  const suggested = useSuggestedRoles(existing?.items ?? [])
  const roles = useRoleField(existing && suggested)
  const makeRole = useSend('post', ROLES, [ROLES])
  const invite = useSend('post', MEMBERS, [MEMBERS])
  return (
    <FormBox
      title={texts.invite}
      close={close}
      fields={[{ name: 'email', label: texts.email, kind: 'email' }, roles]}
      submit={texts.invite}
      send={async (values) => {
        for (const role of suggested.filter(({ name }) => values.roles.includes(name)))
          await makeRole.mutateAsync({ path: { oid }, body: role })
        const body = { email: values.email, roles: values.roles }
        const { invitation } = await invite.mutateAsync({ path: { oid }, body })
        done(invitation.url)
      }}
    />
  )
}

function ChangeRoles({ member, close }: { readonly member: Member; readonly close: () => void }) {
  const { members: texts } = usePageTexts()
  const { oid } = useIds()
  const roles = useRoleField()
  const change = useSend('put', '/api/v1/orgs/{oid}/members/{uid}/roles', [MEMBERS, '/api/v1/me'])
  return (
    <FormBox
      title={texts.rolesOf(member.email)}
      close={close}
      fields={[roles]}
      initial={{ roles: member.roles }}
      submit={texts.changeRoles}
      send={async (values) => {
        await change.mutateAsync({ path: { oid, uid: member.id }, body: { roles: values.roles } })
        close()
      }}
    />
  )
}

function Remove({ member, close }: { readonly member: Member; readonly close: () => void }) {
  const { members: texts } = usePageTexts()
  const { oid } = useIds()
  const remove = useSend('delete', '/api/v1/orgs/{oid}/members/{uid}', [MEMBERS])
  return (
    <Confirm
      title={texts.remove}
      text={texts.removeText(member.email)}
      submit={texts.remove}
      close={close}
      send={() => remove.mutateAsync({ path: { oid, uid: member.id } })}
    />
  )
}
