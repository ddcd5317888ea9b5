import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { Guarded } from '../frame/guarded.tsx'
import { type Action, useIds } from '../frame/place.ts'
import { useTexts } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { FormBox, listOf, textOf } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { useRightField } from './right-field.ts'

type Role = components['schemas']['Role']
const ROLES = '/api/v1/orgs/{oid}/roles'

/** Sets of rights: those of the product, and the organization's own. */
export function RolesPage() {
  const { roles: texts } = useTexts()
  const { oid } = useIds()
  const list = useList(ROLES, { path: { oid } })
  const [open, setOpen] = useState<
    { readonly kind: 'make' } | { readonly kind: 'change' | 'remove'; readonly role: Role }
  >()
  const remove = useSend('delete', '/api/v1/orgs/{oid}/roles/{id}', [ROLES])
  const close = () => setOpen(undefined)
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <Guarded right="role.manage" kind="primary" run={() => setOpen({ kind: 'make' })}>
          <Icon name="plus" />
          {texts.make}
        </Guarded>
      }
    >
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ name }) => <b>{name}</b> },
          {
            title: texts.rights,
            cell: ({ permissions }) => (
              <span className="row wrap">
                {permissions.map((right) => (
                  <code key={right} className="tag">
                    {right}
                  </code>
                ))}
              </span>
            ),
          },
          {
            title: texts.actions,
            kind: 'actions',
            cell: (role) =>
              role.is_system ? (
                <span className="muted">{texts.system}</span>
              ) : (
                <span className="row">
                  <Guarded right="role.manage" kind="quiet" run={() => setOpen({ kind: 'change', role })}>
                    {texts.change}
                  </Guarded>
                  <Guarded right="role.manage" kind="quiet" run={() => setOpen({ kind: 'remove', role })}>
                    {texts.remove}
                  </Guarded>
                </span>
              ),
          },
        ]}
        empty={null}
      />
      {(open?.kind === 'make' || open?.kind === 'change') && (
        <RoleBox role={open.kind === 'change' ? open.role : undefined} close={close} />
      )}
      {open?.kind === 'remove' && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(open.role.name)}
          submit={texts.remove}
          close={close}
          send={() => remove.mutateAsync({ path: { oid, id: open.role.id } })}
        />
      )}
    </Page>
  )
}

function RoleBox({ role, close }: { readonly role: Role | undefined; readonly close: () => void }) {
  const { roles: texts } = useTexts()
  const { oid } = useIds()
  const rights = useRightField('permissions', texts.rights)
  const make = useSend('post', ROLES, [ROLES])
  const change = useSend('put', '/api/v1/orgs/{oid}/roles/{id}', [ROLES, '/api/v1/me'])
  return (
    <FormBox
      title={role === undefined ? texts.make : texts.change}
      close={close}
      fields={[{ name: 'name', label: texts.name }, rights]}
      {...(role !== undefined && { initial: { name: role.name, permissions: role.permissions } })}
      submit={role === undefined ? texts.make : texts.change}
      send={async (values) => {
        const body = { name: textOf(values, 'name'), permissions: listOf(values, 'permissions') as Action[] }
        if (role === undefined) await make.mutateAsync({ path: { oid }, body })
        else await change.mutateAsync({ path: { oid, id: role.id }, body })
        close()
      }}
    />
  )
}
