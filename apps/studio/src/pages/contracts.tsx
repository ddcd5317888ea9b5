import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import { MakeButton } from '../frame/permission-button.tsx'
import { VocabularyTabs } from '../frame/page-tabs.tsx'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { FormBox } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

const CONTRACTS = '/api/v1/orgs/{oid}/projects/{pid}/contracts'

/** Typed inputs and outputs of rulesets. */
export function ContractsPage() {
  const { contracts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const list = useList(CONTRACTS, { path: { oid, pid } })
  const [isMaking, setMaking] = useState(false)
  return (
    <Page
      title={texts.title}
      text={texts.text}
      tabs={<VocabularyTabs />}
      actions={<MakeButton right="contract.edit" label={texts.derive} run={() => setMaking(true)} />}
    >
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ name }) => <Go to={paths.contract(oid, pid, name)}>{name}</Go> },
          { title: texts.version, cell: ({ version }) => <code>{version}</code> },
          { title: texts.inputs, kind: 'number', cell: ({ input }) => input.fields.length },
          { title: texts.outputs, cell: ({ outputs }) => <code>{outputs.map(({ code }) => code).join(', ')}</code> },
          {
            title: texts.state,
            cell: ({ needs_migration: isBehind, migrations }) =>
              isBehind ? (
                <span
                  className="tag"
                  data-tone="warn"
                  title={migrations.map(({ field, reason }) => `${field}: ${reason}`).join('\n')}
                >
                  {texts.behind}
                </span>
              ) : (
                <span className="tag" data-tone="ok">
                  {texts.current}
                </span>
              ),
          },
        ]}
        empty={<Empty picture="book" title={texts.none} text={texts.noneText} />}
      />
      {isMaking && <Derive close={() => setMaking(false)} />}
    </Page>
  )
}

/** A contract derived from the inputs and outputs of a ruleset. */
function Derive({ close }: { readonly close: () => void }) {
  const { contracts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const rulesets = useList('/api/v1/orgs/{oid}/projects/{pid}/rulesets', { path: { oid, pid } }).items ?? []
  const derive = useSend('post', `${CONTRACTS}/derive`, [])
  const make = useSend('post', CONTRACTS, [CONTRACTS])
  const [first] = rulesets
  if (first === undefined) return null
  return (
    <FormBox
      title={texts.derive}
      close={close}
      fields={[
        {
          name: 'ruleset',
          label: texts.ruleset,
          kind: 'select',
          options: rulesets.map(({ name }) => ({ value: name, label: name })),
        },
      ]}
      submit={texts.derive}
      send={async (values) => {
        const document = await derive.mutateAsync({ path: { oid, pid }, body: { ruleset: values.ruleset } })
        const { name } = await make.mutateAsync({ path: { oid, pid }, body: document })
        go(paths.contract(oid, pid, name))
      }}
    />
  )
}
