import { Suspense, useEffect, useState } from 'react'
import { useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { RulesetTabs } from '../frame/page-tabs.tsx'
import { PermissionButton, MakeButton } from '../frame/permission-button.tsx'
import { useIds, useProject } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { begin, LazyModule, lazyPart } from '../ui/lazy-module.ts'
import { Go } from '../ui/link.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

type Item = components['schemas']['DraftItem']
const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'

/** The dialogs of the page, loaded once it is shown. */
const boxes = new LazyModule(() => import('./ruleset-boxes.tsx'))
const Make: typeof import('./ruleset-boxes.tsx').Make = lazyPart(boxes, (module) => module.Make)
const Rename: typeof import('./ruleset-boxes.tsx').Rename = lazyPart(boxes, (module) => module.Rename)
const Export: typeof import('./ruleset-boxes.tsx').Export = lazyPart(boxes, (module) => module.Export)
const Duplicate: typeof import('./ruleset-boxes.tsx').Duplicate = lazyPart(boxes, (module) => module.Duplicate)
const Remove: typeof import('./ruleset-boxes.tsx').Remove = lazyPart(boxes, (module) => module.Remove)

/** The rulesets of a project: their drafts, and their live environments. */
export function RulesetsPage() {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const project = useProject().data
  const time = useTime()
  const list = useList(RULESETS, { path: { oid, pid } })
  const [open, setOpen] = useState<
    { readonly kind: 'make' } | { readonly kind: 'rename' | 'duplicate' | 'export' | 'remove'; readonly item: Item }
  >()
  const close = () => setOpen(undefined)
  useEffect(() => begin([boxes]), [])
  const action = <MakeButton right="ruleset.edit" label={texts.make} run={() => setOpen({ kind: 'make' })} />
  return (
    <Page
      title={texts.title}
      text={project?.description ?? ''}
      tabs={<RulesetTabs />}
      actions={
        <>
          <Go to={paths.import(oid, pid)} className="btn">
            {texts.import}
          </Go>
          {action}
        </>
      }
    >
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ name }) => name}
        columns={[
          {
            title: texts.name,
            cell: ({ name, description }) => (
              <>
                <Go to={paths.ruleset(oid, pid, name)}>
                  <b>{name}</b>
                </Go>
                <div className="muted">{description}</div>
              </>
            ),
          },
          { title: texts.version, cell: ({ version }) => <code>{version}</code> },
          { title: texts.live, cell: ({ live }) => <Live live={live} /> },
          {
            title: texts.saved,
            cell: ({ seq, updated_at: at, name }) => (
              <Go to={paths.history(oid, pid, name)} className="tnum">
                {texts.draft(seq)}, {time(at)}
              </Go>
            ),
          },
          {
            title: texts.actions,
            kind: 'actions',
            cell: (item) => (
              <span className="row">
                <PermissionButton right="ruleset.edit" kind="quiet" run={() => setOpen({ kind: 'rename', item })}>
                  {texts.rename}
                </PermissionButton>
                <button
                  type="button"
                  className="btn"
                  data-kind="quiet"
                  onClick={() => setOpen({ kind: 'export', item })}
                >
                  {texts.export}
                </button>
                <PermissionButton right="ruleset.edit" kind="quiet" run={() => setOpen({ kind: 'duplicate', item })}>
                  {texts.duplicate}
                </PermissionButton>
                <PermissionButton right="ruleset.edit" kind="quiet" run={() => setOpen({ kind: 'remove', item })}>
                  {texts.remove}
                </PermissionButton>
              </span>
            ),
          },
        ]}
        empty={
          <Empty picture="flow" title={texts.none} text={texts.noneText}>
            {action}
          </Empty>
        }
      />
      <Suspense>
        {open?.kind === 'make' && <Make close={close} />}
        {open?.kind === 'rename' && <Rename item={open.item} close={close} />}
        {open?.kind === 'export' && <Export item={open.item} close={close} />}
        {open?.kind === 'duplicate' && <Duplicate item={open.item} close={close} />}
        {open?.kind === 'remove' && <Remove item={open.item} close={close} />}
      </Suspense>
    </Page>
  )
}

function Live({ live }: Pick<Item, 'live'>) {
  const { rulesets: texts } = useTexts()
  if (live.length === 0) return <span className="muted">{texts.notLive}</span>
  return (
    <span className="row wrap">
      {live.map(({ environment, version }) => (
        <span key={environment} className="tag" data-tone="ok">
          {environment} {version}
        </span>
      ))}
    </span>
  )
}
