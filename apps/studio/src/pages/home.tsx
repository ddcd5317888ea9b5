import { useEffect, useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import { ApiError } from '../api/errors.ts'
import { useMe } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Skeleton } from '../ui/states.tsx'
import { NewOrganizationBox } from './new-organization-box.tsx'

/**
 * The start page: the only project of the only organization, otherwise the organization, otherwise the list of
 * organizations.
 */
export function HomePage() {
  const me = useMe()
  const go = useGo()
  const first = me.data?.organizations[0]
  const projects = useGet(
    '/api/v1/orgs/{oid}/projects',
    { path: { oid: first?.id ?? '' } },
    { enabled: first !== undefined },
  ).data
  const isOut = me.error instanceof ApiError && me.error.status === 401
  useEffect(() => {
    if (isOut) go(paths.signIn(), { replace: true })
    if (me.data === undefined) return
    if (first === undefined || me.data.organizations.length > 1) go(paths.organizations(), { replace: true })
    else if (projects !== undefined) {
      const [only, another] = projects.items
      const isOnly = only !== undefined && another === undefined
      go(isOnly ? paths.overview(first.id, only.id) : paths.organization(first.id), { replace: true })
    }
  }, [isOut, me.data, first, projects, go])
  return me.error === null || isOut ? <Skeleton /> : <Failed error={me.error} retry={me.refetch} />
}

/** The organizations of the caller. */
export function OrganizationsPage() {
  const { organizations: texts } = useTexts()
  const go = useGo()
  const list = useList('/api/v1/orgs', {})
  const [isMaking, setMaking] = useState(false)
  const make = useSend('post', '/api/v1/orgs', ['/api/v1/orgs', '/api/v1/me'])
  const isOut = list.error instanceof ApiError && list.error.status === 401
  useEffect(() => {
    if (isOut) go(paths.signIn(), { replace: true })
  }, [isOut, go])
  const action = (
    <button type="button" className="btn" data-kind="primary" onClick={() => setMaking(true)}>
      <Icon name="plus" />
      {texts.make}
    </button>
  )
  return (
    <Page title={texts.title} text={texts.text} actions={action}>
      {list.items === undefined ? (
        list.error === null || isOut ? (
          <Skeleton />
        ) : (
          <Failed error={list.error} retry={list.refetch} />
        )
      ) : list.items.length === 0 ? (
        <Empty picture="book" title={texts.none} text={texts.noneText} />
      ) : (
        <div className="cards">
          {list.items.map(({ id, name, description, project_count: projects, member_count: members }) => (
            <div key={id} className="card">
              <Go to={paths.organization(id)}>
                <b>{name}</b>
              </Go>
              <span className="muted">{description}</span>
              <span className="muted tnum">{texts.counts(projects, members)}</span>
            </div>
          ))}
        </div>
      )}
      {isMaking && (
        <NewOrganizationBox
          title={texts.make}
          close={() => setMaking(false)}
          make={(body) => make.mutateAsync({ body })}
        />
      )}
    </Page>
  )
}
