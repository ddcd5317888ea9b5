import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { ManagedList } from '../frame/managed-list.tsx'
import { VocabularyTabs } from '../frame/page-tabs.tsx'
import { useIds } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { FormBox } from '../ui/form.tsx'
import { Empty } from '../ui/states.tsx'
import { UsedBy } from './usage-list.tsx'

type Concept = components['schemas']['Concept']
const CONCEPTS = '/api/v1/orgs/{oid}/projects/{pid}/concepts'
const CONCEPT = `${CONCEPTS}/{name}` as const

/** Named structures used by types. */
export function ConceptsPage() {
  const { concepts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const list = useList(CONCEPTS, { path: { oid, pid } })
  const remove = useSend('delete', CONCEPT, [CONCEPTS])
  return (
    <ManagedList
      right="fact.edit"
      texts={texts}
      tabs={<VocabularyTabs />}
      list={list}
      columns={[
        { title: texts.name, cell: ({ name }) => <code>{name}</code> },
        { title: texts.fields, cell: ({ fields }) => <code>{linesOf(fields).join(', ')}</code> },
        { title: texts.usedBy, cell: ({ used_by: uses }) => <UsedBy uses={uses} /> },
      ]}
      empty={<Empty picture="book" title={texts.none} text={texts.noneText} />}
      form={(concept, close) => <ConceptBox concept={concept} close={close} />}
      remove={(concept) => remove.mutateAsync({ path: { oid, pid, name: concept.name } })}
    />
  )
}

type Fields = Concept['fields']

const linesOf = (fields: Fields) => fields.map(({ name, type }) => `${name}: ${type}`)

/** Parses fields from lines `name: type`; an existing field keeps its other members. */
function fieldsOf(text: string, old: Fields): Fields {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...type] = line.split(':')
      const known = old.find((field) => field.name === name.trim())
      return { ...known, name: name.trim(), type: type.join(':').trim() }
    })
}

function ConceptBox({ concept, close }: { readonly concept: Concept | undefined; readonly close: () => void }) {
  const { concepts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const make = useSend('post', CONCEPTS, [CONCEPTS])
  const change = useSend('put', CONCEPT, [CONCEPTS])
  return (
    <FormBox
      title={concept === undefined ? texts.make : texts.change}
      close={close}
      fields={[
        { name: 'name', label: texts.name },
        { name: 'fields', label: texts.fields, hint: texts.fieldsHint, kind: 'area' },
      ]}
      {...(concept !== undefined && { initial: { name: concept.name, fields: linesOf(concept.fields).join('\n') } })}
      submit={concept === undefined ? texts.make : texts.change}
      send={async (values) => {
        const body = { name: values.name, fields: fieldsOf(values.fields, concept?.fields ?? []) }
        if (concept === undefined) await make.mutateAsync({ path: { oid, pid }, body })
        else await change.mutateAsync({ path: { oid, pid, name: concept.name }, body })
        close()
      }}
    />
  )
}
