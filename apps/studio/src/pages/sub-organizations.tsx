import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { subOrganizations as en, type SubOrganizationTexts } from '../texts/en/sub-organizations.ts'
import { useLanguage } from '../texts/texts.tsx'
import { subOrganizations as zh } from '../texts/zh/sub-organizations.ts'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { ListTable } from '../ui/list.tsx'
import { NewOrganizationBox } from './new-organization-box.tsx'

const TEXTS = { en, zh } as const
const SUB_ORGANIZATIONS = '/api/v1/orgs/{id}/sub-orgs'

/** The sub-organizations of an organization, including those that the user may not open. */
export function SubOrganizations() {
  const texts: SubOrganizationTexts = TEXTS[useLanguage().language]
  const { oid } = useIds()
  const list = useList(SUB_ORGANIZATIONS, { path: { id: oid } })
  const make = useSend('post', SUB_ORGANIZATIONS, [SUB_ORGANIZATIONS, '/api/v1/orgs', '/api/v1/me'])
  const [isMaking, setMaking] = useState(false)
  return (
    <section className="stack">
      <div className="row wrap">
        <h2>{texts.title}</h2>
        <span className="grow" />
        <PermissionButton right="org.manage" run={() => setMaking(true)}>
          <Icon name="plus" />
          {texts.make}
        </PermissionButton>
      </div>
      <p className="muted">{texts.text}</p>
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.name,
            cell: ({ id, name, my_roles: roles }) =>
              roles.length > 0 ? (
                <Go to={paths.organization(id)}>{name}</Go>
              ) : (
                <>
                  {name} <span className="tag">{texts.noAccess}</span>
                </>
              ),
          },
          { title: texts.description, cell: ({ description }) => <span className="muted">{description}</span> },
          { title: texts.projects, kind: 'number', cell: ({ project_count: count }) => count },
          { title: texts.members, kind: 'number', cell: ({ member_count: count }) => count },
        ]}
        empty={<p className="body muted">{texts.none}</p>}
      />
      {isMaking && (
        <NewOrganizationBox
          title={texts.make}
          close={() => setMaking(false)}
          make={(body) => make.mutateAsync({ path: { id: oid }, body })}
        />
      )}
    </section>
  )
}
