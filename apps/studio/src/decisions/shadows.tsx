import { useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { useCodeColours } from '../overview/decision-charts.tsx'
import { useNumbers, useTime } from '../texts/texts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { FormBox } from '../ui/form.tsx'
import { pretty } from '../ui/json-text.ts'
import { ListTable } from '../ui/list.tsx'
import { Empty, Pending } from '../ui/states.tsx'
import { TransitionTable } from '../ui/transition-table.tsx'
import { useDecisionTexts } from './decision-texts.ts'

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
const SHADOWS = `${PROJECT}/shadows` as const
type Shadow = components['schemas']['Shadow']
/** Milliseconds between two polls of counts. */
const POLL_INTERVAL_MS = 5000

const isRunning = ({ ends_at: end }: Shadow) => Date.parse(end) > Date.now()

/** Drafts that decide in parallel to live versions, and the results that they would change. */
export function Shadows() {
  const texts = useDecisionTexts()
  const { number, percent } = useNumbers()
  const { oid, pid } = useIds()
  const time = useTime()
  const list = useList(SHADOWS, { path: { oid, pid } }, { refetchInterval: POLL_INTERVAL_MS })
  const [shown, show] = useState<string>()
  const [ending, setEnding] = useState<Shadow>()
  const remove = useSend('delete', `${SHADOWS}/{id}`, [SHADOWS])
  const opened = list.items?.find(({ id }) => id === shown) ?? list.items?.[0]
  return (
    <>
      <ListTable
        name={texts.tabs.shadows}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.ruleset,
            cell: (shadow) => (
              <button type="button" className="link" onClick={() => show(shadow.id)}>
                {shadow.ruleset} · {texts.saveOf(shadow.from_seq)}
              </button>
            ),
          },
          { title: texts.environment, cell: ({ environment, percent: share }) => `${environment}, ${number(share)} %` },
          {
            title: texts.until,
            cell: (shadow) => (
              <>
                <span className="tnum">{time(shadow.ends_at)}</span>{' '}
                <span className="tag" data-tone={isRunning(shadow) ? 'candidate' : undefined}>
                  {isRunning(shadow) ? texts.running : texts.ended}
                </span>
              </>
            ),
          },
          { title: texts.requests, kind: 'number', cell: ({ requests }) => number(requests) },
          {
            title: texts.changed,
            kind: 'number',
            cell: ({ requests, changed }) =>
              `${number(changed)}${requests === 0 ? '' : ` (${percent(changed / requests)})`}`,
          },
          { title: texts.dropped, kind: 'number', cell: ({ dropped }) => number(dropped) },
          {
            title: texts.actions,
            kind: 'actions',
            cell: (shadow) => (
              <PermissionButton right="release.create" kind="quiet" run={() => setEnding(shadow)}>
                {texts.endShadow}
              </PermissionButton>
            ),
          },
        ]}
        empty={<Empty picture="scales" title={texts.noShadows} text={texts.noShadowsText} />}
      />
      {opened !== undefined && <Report key={opened.id} shadow={opened} />}
      {ending !== undefined && (
        <Confirm
          title={texts.endShadow}
          text={texts.endShadowText}
          submit={texts.endShadow}
          close={() => setEnding(undefined)}
          send={() => remove.mutateAsync({ path: { oid, pid, id: ending.id } })}
        />
      )}
    </>
  )
}

/** The results that a shadow would change, as a matrix with examples. */
function Report({ shadow: { id, ruleset, from_seq: seq } }: { readonly shadow: Shadow }) {
  const texts = useDecisionTexts()
  const { number } = useNumbers()
  const { oid, pid } = useIds()
  const colours = useCodeColours(ruleset)
  const found = useGet(`${SHADOWS}/{id}`, { path: { oid, pid, id } }, { refetchInterval: POLL_INTERVAL_MS })
  const [selected, select] = useState<{ readonly from: string; readonly to: string }>()
  if (found.data === undefined)
    return (
      <div className="card">
        <Pending of={found} />
      </div>
    )
  const transitions = found.data.transitions.map(({ from, to, ...rest }) => ({
    from: from ?? texts.fails,
    to: to ?? texts.fails,
    ...rest,
  }))
  const results = [...new Set(transitions.flatMap(({ from, to }) => [from, to]))].toSorted()
  const at = (from: string, to: string) => transitions.find((one) => one.from === from && one.to === to)
  const open = selected && at(selected.from, selected.to)
  const head = (name: string) => <CodeTag name={name} colour={colours.get(name)} isError={name === texts.fails} />
  return (
    <section className="card">
      <header>
        <h2>{texts.transitions}</h2>
        <span className="muted">
          {ruleset} · {texts.saveOf(seq)}
        </span>
      </header>
      <div className="body stack">
        {transitions.length === 0 ? (
          <p className="muted">{texts.sameResults}</p>
        ) : (
          <TransitionTable
            name={texts.transitions}
            before={texts.live}
            after={texts.candidate}
            results={results}
            kept={() => 0}
            cell={at}
            most={Math.max(0, ...transitions.map(({ count }) => count))}
            head={head}
            label={(from, to, count) => texts.pick(from, to, count)}
            possible=""
            selected={selected}
            select={(from, to) => select({ from, to })}
          />
        )}
        {open !== undefined && (
          <>
            <h3>{texts.examples}</h3>
            {open.examples.map((example, index) => (
              <pre
                key={index}
                className="shadow-example scroll"
                tabIndex={0}
                role="region"
                aria-label={`${texts.examples} ${number(index + 1)}`}
              >
                {pretty(example)}
              </pre>
            ))}
          </>
        )}
      </div>
    </section>
  )
}

const DAY_MS = 86_400_000

/** Starts a shadow of the newest save. */
export function StartShadow({
  ruleset,
  close,
  started,
}: {
  readonly ruleset: string | undefined
  readonly close: () => void
  readonly started: () => void
}) {
  const texts = useDecisionTexts()
  const { oid, pid } = useIds()
  const drafts = useList(`${PROJECT}/rulesets`, { path: { oid, pid } }).items ?? []
  const environments = useEnvironments().data?.items ?? []
  const make = useSend('post', SHADOWS, [SHADOWS])
  return (
    <FormBox
      title={texts.startShadow}
      close={close}
      fields={[
        {
          name: 'ruleset',
          label: texts.ruleset,
          kind: 'select',
          options: drafts.map(({ name, seq }) => ({ value: name, label: `${name}, ${texts.draftOf(seq)}` })),
        },
        {
          name: 'environment',
          label: texts.environment,
          kind: 'select',
          options: environments.map(({ name }) => ({ value: name, label: name })),
        },
        { name: 'percent', label: texts.share, kind: 'number' },
        { name: 'ends_at', label: texts.until, hint: '2027-01-31 12:00' },
      ]}
      initial={{
        ruleset: ruleset ?? drafts[0]?.name ?? '',
        environment: environments.at(-1)?.name ?? '',
        percent: '10',
        ends_at: new Date(Date.now() + DAY_MS).toISOString().slice(0, 16).replace('T', ' '),
      }}
      submit={texts.startShadow}
      send={async ({ ruleset: name, environment, percent, ends_at: end }) => {
        const until = new Date(`${end.replace(' ', 'T')}Z`)
        await make.mutateAsync({
          path: { oid, pid },
          body: {
            ruleset: name,
            from_seq: drafts.find((one) => one.name === name)?.seq ?? 1,
            environment,
            percent: Number(percent),
            ends_at: Number.isNaN(until.getTime()) ? end : until.toISOString(),
          },
        })
        started()
      }}
    >
      <p className="muted">{texts.shadowText}</p>
    </FormBox>
  )
}
