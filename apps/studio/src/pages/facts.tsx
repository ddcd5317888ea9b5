import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { RenameBox } from '../fact-rename/rename-box.tsx'
import { useFactRenameTexts } from '../fact-rename/rename-texts.ts'
import { ManagedList } from '../frame/managed-list.tsx'
import { VocabularyTabs } from '../frame/page-tabs.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { FormBox } from '../ui/form.tsx'
import { Empty } from '../ui/states.tsx'
import { UsedBy } from './usage-list.tsx'

type Fact = components['schemas']['Fact']
const FACTS = '/api/v1/orgs/{oid}/projects/{pid}/facts'
const FACT = `${FACTS}/{name}` as const

/** Named fields that contracts share. */
export function FactsPage() {
  const { facts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const list = useList(FACTS, { path: { oid, pid } })
  const remove = useSend('delete', FACT, [FACTS])
  const { rename } = useFactRenameTexts()
  const [renamed, setRenamed] = useState<Fact>()
  return (
    <ManagedList
      right="fact.edit"
      texts={texts}
      tabs={<VocabularyTabs />}
      list={list}
      columns={[
        { title: texts.name, cell: ({ name }) => <code>{name}</code> },
        { title: texts.type, cell: ({ type }) => <span className="tag">{type}</span> },
        { title: texts.description, cell: ({ description }) => description },
        { title: texts.usedBy, cell: ({ used_by: uses }) => <UsedBy uses={uses} /> },
      ]}
      empty={<Empty picture="book" title={texts.none} text={texts.noneText} />}
      more={(fact) => (
        <PermissionButton right="fact.edit" kind="quiet" run={() => setRenamed(fact)}>
          {rename}
        </PermissionButton>
      )}
      form={(fact, close) => <FactBox fact={fact} close={close} />}
      remove={(fact) => remove.mutateAsync({ path: { oid, pid, name: fact.name } })}
    >
      {renamed !== undefined && <RenameBox fact={renamed} close={() => setRenamed(undefined)} />}
    </ManagedList>
  )
}

function FactBox({ fact, close }: { readonly fact: Fact | undefined; readonly close: () => void }) {
  const { facts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const make = useSend('post', FACTS, [FACTS])
  const change = useSend('put', FACT, [FACTS, '/api/v1/orgs/{oid}/projects/{pid}/contracts'])
  const described = [
    { name: 'type', label: texts.type, hint: texts.typeHint },
    { name: 'description', label: texts.description, isOptional: true },
  ] as const
  if (fact === undefined)
    return (
      <FormBox
        title={texts.make}
        close={close}
        fields={[{ name: 'name', label: texts.name, hint: texts.nameHint }, ...described]}
        submit={texts.make}
        send={async (body) => {
          await make.mutateAsync({ path: { oid, pid }, body })
          close()
        }}
      />
    )
  const { name, type, description, example, tags } = fact
  return (
    <FormBox
      title={`${texts.change}: ${name}`}
      close={close}
      fields={described}
      initial={{ type, description }}
      submit={texts.change}
      send={async (body) => {
        await change.mutateAsync({ path: { oid, pid, name }, body: { ...body, example, tags } })
        close()
      }}
    />
  )
}
