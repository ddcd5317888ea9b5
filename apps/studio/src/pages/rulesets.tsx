import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { RulesetTabs } from '../frame/page-tabs.tsx'
import { PermissionButton, MakeButton } from '../frame/permission-button.tsx'
import { useIds, useProject } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { newDraft, newTableDraft } from '../session/new-draft.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { FormBox } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

type Item = components['schemas']['DraftItem']
const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'
const RULESET = `${RULESETS}/{name}` as const

/** The rulesets of a project: their drafts, and their live environments. */
export function RulesetsPage() {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const project = useProject().data
  const time = useTime()
  const list = useList(RULESETS, { path: { oid, pid } })
  const [open, setOpen] = useState<
    { readonly kind: 'make' } | { readonly kind: 'duplicate' | 'remove'; readonly item: Item }
  >()
  const close = () => setOpen(undefined)
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
      {open?.kind === 'make' && <Make close={close} />}
      {open?.kind === 'duplicate' && <Duplicate item={open.item} close={close} />}
      {open?.kind === 'remove' && <Remove item={open.item} close={close} />}
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

interface BoxProps {
  readonly close: () => void
}

function Make({ close }: BoxProps) {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const make = useSend('post', RULESET, [RULESETS])
  return (
    <FormBox
      title={texts.make}
      close={close}
      fields={[
        { name: 'name', label: texts.name, hint: texts.nameHint },
        {
          name: 'from',
          label: texts.startWith,
          kind: 'select',
          options: [
            { value: 'decision', label: texts.starts.decision },
            { value: 'table', label: texts.starts.table },
          ],
        },
      ]}
      submit={texts.make}
      send={async ({ name, from }) => {
        const ruleset = from === 'table' ? newTableDraft(name) : newDraft(name)
        await make.mutateAsync({ path: { oid, pid, name }, body: { ruleset: { ...ruleset }, expected_seq: 0 } })
        if (from === 'table') go(paths.ruleset(oid, pid, name), { search: { view: 'table' } })
        else go(paths.ruleset(oid, pid, name))
      }}
    />
  )
}

function Duplicate({ item, close }: BoxProps & { readonly item: Item }) {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const duplicate = useSend('post', `${RULESET}/duplicate`, [RULESETS])
  return (
    <FormBox
      title={texts.duplicate}
      close={close}
      fields={[{ name: 'name', label: texts.newName, hint: texts.nameHint }]}
      initial={{ name: `${item.name}_copy` }}
      submit={texts.duplicate}
      send={async (values) => {
        const name = values.name
        await duplicate.mutateAsync({ path: { oid, pid, name: item.name }, body: { name } })
        go(paths.ruleset(oid, pid, name))
      }}
    />
  )
}

function Remove({ item, close }: BoxProps & { readonly item: Item }) {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const remove = useSend('delete', RULESET, [RULESETS])
  return (
    <Confirm
      title={texts.remove}
      text={texts.removeText(item.name)}
      submit={texts.remove}
      close={close}
      send={() => remove.mutateAsync({ path: { oid, pid, name: item.name }, query: { expected_seq: item.seq } })}
    />
  )
}
