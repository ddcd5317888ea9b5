import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { ManagedList } from '../frame/managed-list.tsx'
import { PeopleTabs } from '../frame/page-tabs.tsx'
import { useIds } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { FormBox } from '../ui/form.tsx'
import { useRightField } from './right-field.ts'

type Role = components['schemas']['Role']
const ROLES = '/api/v1/orgs/{oid}/roles'

/** Built-in and custom roles. */
export function RolesPage() {
  const { roles: texts, rightNames } = usePageTexts()
  const { oid } = useIds()
  const list = useList(ROLES, { path: { oid } })
  const remove = useSend('delete', '/api/v1/orgs/{oid}/roles/{id}', [ROLES])
  return (
    <ManagedList
      right="role.manage"
      texts={texts}
      tabs={<PeopleTabs />}
      list={list}
      columns={[
        { title: texts.name, cell: ({ name }) => <b>{name}</b> },
        {
          title: texts.rights,
          cell: ({ permissions }) => (
            <span className="row wrap">
              {permissions.map((right) => (
                <span key={right} className="tag">
                  {rightNames[right]}
                </span>
              ))}
            </span>
          ),
        },
      ]}
      empty={null}
      fixed={({ is_system: isSystem }) => (isSystem ? <span className="muted">{texts.system}</span> : undefined)}
      form={(role, close) => <RoleBox role={role} close={close} />}
      remove={(role) => remove.mutateAsync({ path: { oid, id: role.id } })}
    />
  )
}

function RoleBox({ role, close }: { readonly role: Role | undefined; readonly close: () => void }) {
  const { roles: texts } = usePageTexts()
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
        const body = { name: values.name, permissions: values.permissions }
        if (role === undefined) await make.mutateAsync({ path: { oid }, body })
        else await change.mutateAsync({ path: { oid, id: role.id }, body })
        close()
      }}
    />
  )
}
