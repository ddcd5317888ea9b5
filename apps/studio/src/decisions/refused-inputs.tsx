import { useMemo } from 'react'
import { useList } from '../api/data.ts'
import { useIds } from '../frame/route-scope.ts'
import { pretty } from '../ui/json-text.ts'
import { ListTable } from '../ui/list.tsx'
import { Empty } from '../ui/states.tsx'
import { useClock } from './clock.ts'
import { useDecisionTexts } from './decision-texts.ts'
import { type Span, startOf } from './search.ts'

const DECISIONS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/decisions'
/** Maximum number of displayed violations of one input. */
const MAX_SHOWN = 5

interface Place {
  readonly ruleset: string
  readonly environment: string
  readonly span: Span
}

/** Inputs that violated the contract of a ruleset, each with its violations. */
export function RefusedInputs({ ruleset, environment, span }: Place) {
  const texts = useDecisionTexts()
  const clock = useClock()
  const { oid, pid } = useIds()
  const from = useMemo(() => startOf(span), [span])
  const list = useList(DECISIONS, {
    path: { oid, pid, name: ruleset },
    query: { environment, outcome: 'refused', from },
  })
  return (
    <ListTable
      name={texts.tabs.refused}
      list={list}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.when, cell: ({ at }) => <span className="tnum">{clock(Date.parse(at))}</span> },
        {
          title: texts.brokenRules,
          cell: ({ violations }) => {
            const all = violations ?? []
            return (
              <ul className="violations">
                {all.slice(0, MAX_SHOWN).map(({ path, code, expected }) => (
                  <li key={`${path} ${code}`}>
                    <code>{path.replace(/^\/input\//, '').replaceAll('/', '.')}</code>{' '}
                    <span className="muted">
                      {code === 'required' ? texts.missingField(expected) : texts.expected(expected)}
                    </span>
                  </li>
                ))}
                {all.length > MAX_SHOWN && <li className="muted">{texts.moreRules(all.length - MAX_SHOWN)}</li>}
              </ul>
            )
          },
        },
        {
          title: texts.input,
          cell: ({ input }) => (
            <details>
              <summary>{texts.showInput}</summary>
              <div className="code">
                <pre>{pretty(input)}</pre>
              </div>
            </details>
          ),
        },
      ]}
      empty={<Empty picture="signal" title={texts.noRefused} text={texts.noRefusedText} />}
    />
  )
}
