import type { DraftGraph } from '@engine/authoring'
import { useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { Author } from '../frame/author.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { parseSubRule } from './sub-rule-text.ts'
import { ChangeWords } from '../save-diff/change-words.tsx'
import { useSubRuleTexts } from './sub-rule-texts.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { usePageTexts } from '../texts/page-texts.ts'
import { Confirm } from '../ui/confirm.tsx'
import { FormBox } from '../ui/form.tsx'
import { pretty } from '../ui/json-text.ts'
import { Go, useGo } from '../ui/link.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'

type SubRule = components['schemas']['SubRule']

const SUB_RULES = '/api/v1/orgs/{oid}/projects/{pid}/sub-rules'
const SUB_RULE = `${SUB_RULES}/{name}` as const

/** One sub-rule: its inputs and results, the rules that use it, and its versions with their changes. */
export function SubRulePage() {
  const texts = useSubRuleTexts()
  const { oid, pid } = useIds()
  const name = useParameter('name')
  const go = useGo()
  const path = { oid, pid, name }
  const found = useGet(SUB_RULE, { path })
  const remove = useSend('delete', SUB_RULE, [SUB_RULES])
  const [open, setOpen] = useState<'change' | 'remove'>()
  const close = () => setOpen(undefined)
  const { data } = found
  return (
    <Page
      title={name}
      text={data && texts.versionOf(data.version)}
      actions={
        data && (
          <>
            <PermissionButton right="ruleset.edit" run={() => setOpen('change')}>
              {texts.change}
            </PermissionButton>
            <PermissionButton right="ruleset.edit" kind="bad" run={() => setOpen('remove')}>
              {texts.remove}
            </PermissionButton>
          </>
        )
      }
    >
      {data === undefined ? <Pending of={found} /> : <Content subRule={data} />}
      {data !== undefined && <Versions subRule={data} />}
      {open === 'change' && data !== undefined && <ChangeBox subRule={data} close={close} />}
      {open === 'remove' && data !== undefined && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(name)}
          submit={texts.remove}
          close={close}
          send={async () => {
            await remove.mutateAsync({ path, query: { expected_seq: data.seq } })
            go(paths.subRules(oid, pid), { replace: true })
          }}
        />
      )}
    </Page>
  )
}

function Content({ subRule: { name, bindings, outputs, used_by: uses } }: { readonly subRule: SubRule }) {
  const texts = useSubRuleTexts()
  const { contracts } = usePageTexts()
  const { oid, pid } = useIds()
  const rows = [
    ...bindings.map((one) => ({ ...one, way: texts.takes })),
    ...outputs.map((one) => ({ ...one, way: texts.gives, required: undefined })),
  ]
  return (
    <>
      <section className="card scroll" tabIndex={0} role="region" aria-label={texts.interface}>
        <header>
          <h2>{texts.interface}</h2>
        </header>
        {rows.length === 0 ? (
          <p className="body muted">{texts.nothing}</p>
        ) : (
          <table className="list">
            <thead>
              <tr>
                <th scope="col">{contracts.field}</th>
                <th scope="col">{contracts.type}</th>
                <th scope="col">{texts.way}</th>
                <th scope="col">{contracts.required}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={`${row.way} ${row.name}`}>
                  <td>
                    <code>{row.name}</code>
                  </td>
                  <td>
                    <span className="tag">{row.type}</span>
                  </td>
                  <td>{row.way}</td>
                  <td>{row.required === undefined ? '' : row.required ? contracts.yes : contracts.no}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section className="card">
        <header>
          <h2>{texts.usedBy}</h2>
        </header>
        <div className="body">
          {uses.length === 0 ? (
            <p className="muted">{texts.unused}</p>
          ) : (
            <ul className="plain-list">
              {uses.map((use) => (
                <li key={`${use.kind} ${use.name}`}>
                  {use.kind === 'ruleset' ? (
                    <Go to={paths.ruleset(oid, pid, use.name)} search={{ in: name }}>
                      {use.name}
                    </Go>
                  ) : (
                    <Go to={paths.subRule(oid, pid, use.name)}>{use.name}</Go>
                  )}{' '}
                  <span className="muted">{texts.kinds[use.kind]}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      </section>
    </>
  )
}

function Versions({ subRule: { name, seq } }: { readonly subRule: SubRule }) {
  const texts = useSubRuleTexts()
  const { history } = useTexts()
  const time = useTime()
  const { oid, pid } = useIds()
  const list = useList(`${SUB_RULE}/versions`, { path: { oid, pid, name } })
  const [chosen, choose] = useState<number>()
  const shown = chosen ?? seq
  return (
    <>
      <ListTable
        name={texts.versions}
        list={list}
        keyOf={(one) => String(one.seq)}
        columns={[
          { title: texts.version, cell: (one) => <b className="tnum">{one.version}</b> },
          { title: history.at, cell: ({ at }) => <span className="tnum">{time(at)}</span> },
          { title: history.by, cell: ({ by }) => <Author id={by} /> },
          {
            title: history.actions,
            kind: 'actions',
            cell: (one) =>
              one.seq > 1 && (
                <button
                  type="button"
                  className="btn"
                  data-kind="quiet"
                  aria-pressed={one.seq === shown}
                  onClick={() => choose(one.seq)}
                >
                  {history.show}
                  <span className="vh"> {one.version}</span>
                </button>
              ),
          },
        ]}
        empty={null}
      />
      {shown > 1 && <Changes name={name} to={shown} />}
    </>
  )
}

/** The platform stores no graph without steps. */
const hasSteps = (graph: object): graph is DraftGraph => 'steps' in graph

function Changes({ name, to }: { readonly name: string; readonly to: number }) {
  const texts = useSubRuleTexts()
  const { oid, pid } = useIds()
  const path = { oid, pid, name }
  const version = (seq: number) => ({ path: { ...path, seq: String(seq) } })
  const before = useGet(`${SUB_RULE}/versions/{seq}`, version(to - 1))
  const after = useGet(`${SUB_RULE}/versions/{seq}`, version(to))
  const diff = useGet(`${SUB_RULE}/diff`, { path, query: { from: to - 1, to } })
  if (diff.data === undefined || before.data === undefined || after.data === undefined)
    return <Pending of={diff.data === undefined ? diff : before.data === undefined ? before : after} />
  return (
    <section className="card">
      <header>
        <h2>{texts.changesOf(after.data.version)}</h2>
      </header>
      <div className="body stack">
        {hasSteps(before.data.graph) && hasSteps(after.data.graph) && (
          <ChangeWords diff={diff.data} before={before.data.graph} after={after.data.graph} />
        )}
      </div>
    </section>
  )
}

/** The sub-rule as text; its users get the new version with their next save or release. */
function ChangeBox({ subRule, close }: { readonly subRule: SubRule; readonly close: () => void }) {
  const texts = useSubRuleTexts()
  const { oid, pid } = useIds()
  const { name, version, graph, bindings, outputs, seq } = subRule
  const change = useSend('put', SUB_RULE, [SUB_RULES, SUB_RULE, `${SUB_RULE}/versions`])
  return (
    <FormBox
      title={texts.changeOf(name)}
      close={close}
      fields={[
        { name: 'version', label: texts.version },
        { name: 'text', label: texts.json, kind: 'area', hint: texts.jsonHint },
      ]}
      initial={{ version, text: pretty({ graph, bindings, outputs }) }}
      submit={texts.save}
      send={async (values) => {
        const parts = parseSubRule(values.text, texts.missingPart)
        const body = { ...parts, version: values.version, expected_seq: seq }
        await change.mutateAsync({ path: { oid, pid, name }, body })
        close()
      }}
    />
  )
}
