import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { MakeButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { parseSubRule } from './sub-rule-text.ts'
import { newDraft } from '../session/new-draft.ts'
import { useSubRuleTexts } from './sub-rule-texts.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { FormBox } from '../ui/form.tsx'
import { pretty } from '../ui/json-text.ts'
import { Go, useGo } from '../ui/link.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { UsedBy } from './usage-list.tsx'

type SubRuleRequest = components['schemas']['SubRuleRequest']

const SUB_RULES = '/api/v1/orgs/{oid}/projects/{pid}/sub-rules'

/** The sub-rules that the rulesets of a project share. */
export function SubRulesPage() {
  const texts = useSubRuleTexts()
  const { oid, pid } = useIds()
  const time = useTime()
  const list = useList(SUB_RULES, { path: { oid, pid } })
  const [isMaking, make] = useState(false)
  const action = <MakeButton right="ruleset.edit" label={texts.make} run={() => make(true)} />
  return (
    <Page title={texts.title} text={texts.text} actions={action}>
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.name,
            cell: ({ name, version }) => (
              <>
                <Go to={paths.subRule(oid, pid, name)}>
                  <b>{name}</b>
                </Go>
                <div className="muted tnum">{version}</div>
              </>
            ),
          },
          { title: texts.takes, cell: ({ bindings }) => <Names list={bindings} /> },
          { title: texts.gives, cell: ({ outputs }) => <Names list={outputs} /> },
          { title: texts.usedBy, cell: ({ used_by: uses }) => <UsedBy uses={uses} /> },
          { title: texts.changed, cell: ({ updated_at: at }) => <span className="tnum">{time(at)}</span> },
        ]}
        empty={
          <Empty picture="flow" title={texts.none} text={texts.noneText}>
            {action}
          </Empty>
        }
      />
      {isMaking && <MakeBox close={() => make(false)} />}
    </Page>
  )
}

function Names({ list }: { readonly list: readonly { readonly name: string; readonly type: string }[] }) {
  const texts = useSubRuleTexts()
  if (list.length === 0) return <span className="muted">{texts.nothing}</span>
  return (
    <span className="row wrap">
      {list.map(({ name, type }) => (
        <code key={name} title={type}>
          {name}
        </code>
      ))}
    </span>
  )
}

/** The initial text of a new sub-rule: one decision about one input. */
function example(): Omit<SubRuleRequest, 'name'> {
  const { startStepId, steps } = newDraft('')
  return {
    version: '1.0.0',
    graph: { ...(startStepId !== undefined && { startStepId }), steps: [...steps] },
    bindings: [{ name: 'amount', type: 'number', required: true }],
    outputs: [],
  }
}

function MakeBox({ close }: { readonly close: () => void }) {
  const texts = useSubRuleTexts()
  const { rulesets } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const send = useSend('post', SUB_RULES, [SUB_RULES])
  return (
    <FormBox
      title={texts.make}
      close={close}
      fields={[
        { name: 'name', label: texts.name, hint: rulesets.nameHint },
        { name: 'text', label: texts.json, kind: 'area', hint: texts.jsonHint },
      ]}
      initial={{ text: pretty(example()) }}
      submit={texts.make}
      send={async ({ name, text }) => {
        await send.mutateAsync({ path: { oid, pid }, body: { ...parseSubRule(text, texts.missingPart), name } })
        go(paths.subRule(oid, pid, name))
      }}
    >
      <p className="muted">{texts.makeText}</p>
    </FormBox>
  )
}
