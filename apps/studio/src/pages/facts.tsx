import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { ManagedList } from '../frame/managed-list.tsx'
import { VocabularyTabs } from '../frame/page-tabs.tsx'
import { useIds } from '../frame/route-scope.ts'
import { useTexts } from '../texts/texts.tsx'
import { FormBox } from '../ui/form.tsx'
import { Empty } from '../ui/states.tsx'
import { UsedBy } from './usage-list.tsx'

type Fact = components['schemas']['Fact']
const FACTS = '/api/v1/orgs/{oid}/projects/{pid}/facts'
const FACT = `${FACTS}/{name}` as const

/** Named fields that contracts share. */
export function FactsPage() {
  const { facts: texts } = useTexts()
  const { oid, pid } = useIds()
  const list = useList(FACTS, { path: { oid, pid } })
  const remove = useSend('delete', FACT, [FACTS])
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
      form={(fact, close) => <FactBox fact={fact} close={close} />}
      remove={(fact) => remove.mutateAsync({ path: { oid, pid, name: fact.name } })}
    />
  )
}

function FactBox({ fact, close }: { readonly fact: Fact | undefined; readonly close: () => void }) {
  const { facts: texts } = useTexts()
  const { oid, pid } = useIds()
  const make = useSend('post', FACTS, [FACTS])
  const change = useSend('put', FACT, [FACTS, '/api/v1/orgs/{oid}/projects/{pid}/contracts'])
  return (
    <FormBox
      title={fact === undefined ? texts.make : texts.change}
      close={close}
      fields={[
        { name: 'name', label: texts.name, hint: texts.nameHint },
        { name: 'type', label: texts.type, hint: texts.typeHint },
        { name: 'description', label: texts.description, isOptional: true },
      ]}
      {...(fact !== undefined && { initial: { name: fact.name, type: fact.type, description: fact.description } })}
      submit={fact === undefined ? texts.make : texts.change}
      send={async (values) => {
        const body = {
          name: values.name,
          type: values.type,
          description: values.description,
        }
        if (fact === undefined) await make.mutateAsync({ path: { oid, pid }, body })
        else
          await change.mutateAsync({
            path: { oid, pid, name: fact.name },
            body: { ...body, example: fact.example, tags: fact.tags },
          })
        close()
      }}
    />
  )
}
