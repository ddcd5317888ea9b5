import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useList } from '../api/data.ts'
import { useDecisionTexts } from '../decisions/decision-texts.ts'
import { Explorer } from '../decisions/explorer.tsx'
import { RefusedInputs } from '../decisions/refused-inputs.tsx'
import { Replays } from '../decisions/replays.tsx'
import { type DecisionsSearch, type Span, SPANS } from '../decisions/search.ts'
import { Shadows, StartShadow } from '../decisions/shadows.tsx'
import { StartReplay } from '../decisions/start-replay.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import '../styles/decisions.css'
import '../styles/effects.css'
import '../styles/review.css'
import { useNumbers } from '../texts/texts.tsx'
import { Choice } from '../ui/choice.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Pending } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'

/** Recorded decisions with filters and replay, refused inputs, and shadows. */
export function DecisionsPage() {
  const texts = useDecisionTexts()
  const { percent } = useNumbers()
  const { oid, pid } = useIds()
  const search: DecisionsSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const drafts = useList('/api/v1/orgs/{oid}/projects/{pid}/rulesets', { path: { oid, pid } })
  const environments = useEnvironments()
  const [starting, setStarting] = useState<'shadow' | 'replay'>()
  const set = (next: DecisionsSearch) => void navigate({ to: '.', search: { ...search, ...next }, replace: true })
  const items = drafts.items
  const all = environments.data?.items
  if (items === undefined || all === undefined)
    return (
      <Page title={texts.title} text={texts.text}>
        <div className="card">
          <Pending of={{ error: drafts.error ?? environments.error, refetch: drafts.refetch }} />
        </div>
      </Page>
    )
  const live = items.filter((draft) => draft.live.length > 0)
  const ruleset = items.find(({ name }) => name === search.ruleset) ?? live[0] ?? items[0]
  const recorded = all.findLast(
    ({ name, recording }) => recording.rate > 0 && ruleset?.live.some((one) => one.environment === name),
  )
  const environment = all.find(({ name }) => name === search.environment) ?? recorded ?? all.at(-1)
  const span = search.span ?? 'day'
  const recording = environment?.recording
  const to = paths.decisions(oid, pid)
  return (
    <Page
      title={texts.title}
      text={
        <>
          {texts.text}{' '}
          {recording !== undefined && environment !== undefined && (
            <>
              {recording.rate === 0
                ? texts.notRecorded(environment.name)
                : texts.recordedText(percent(recording.rate / 100), environment.name, recording.retention_days)}{' '}
              {recording.mask.length > 0 && texts.maskedFields(recording.mask.join(', '))}
            </>
          )}
        </>
      }
      actions={
        <StartButton tab={search.tab} isLive={ruleset !== undefined && ruleset.live.length > 0} start={setStarting} />
      }
      tabs={
        <Tabs
          label={texts.views}
          tabs={[
            { to, label: texts.tabs.recorded, isOpen: search.tab === undefined },
            { to, label: texts.tabs.refused, search: { tab: 'refused' }, isOpen: search.tab === 'refused' },
            { to, label: texts.tabs.shadows, search: { tab: 'shadows' }, isOpen: search.tab === 'shadows' },
            { to, label: texts.tabs.replays, search: { tab: 'replays' }, isOpen: search.tab === 'replays' },
          ]}
        />
      }
    >
      {search.tab === 'shadows' ? (
        <Shadows />
      ) : ruleset === undefined || environment === undefined ? (
        <div className="card">
          <Empty picture="signal" title={texts.noRuleset} text={texts.noRulesetText} />
        </div>
      ) : (
        <>
          <Choices
            {...{
              rulesets: items,
              environments: all,
              ruleset,
              environment,
              span,
              set,
              isOfRuleset: search.tab === 'replays',
            }}
          />
          {search.tab === 'replays' ? (
            <Replays key={ruleset.name} ruleset={ruleset.name} />
          ) : search.tab === 'refused' ? (
            <RefusedInputs ruleset={ruleset.name} environment={environment.name} span={span} />
          ) : (
            <Explorer ruleset={ruleset.name} environment={environment.name} span={span} />
          )}
        </>
      )}
      <StartBox
        of={starting}
        ruleset={ruleset}
        environment={environment?.name}
        close={() => setStarting(undefined)}
        showShadows={() => set({ tab: 'shadows' })}
      />
    </Page>
  )
}

interface StartButtonProps {
  readonly tab: DecisionsSearch['tab']
  /** Whether the ruleset is live in an environment, for comparison in a replay. */
  readonly isLive: boolean
  readonly start: (what: 'shadow' | 'replay') => void
}

function StartButton({ tab, isLive, start }: StartButtonProps) {
  const texts = useDecisionTexts()
  if (tab !== 'replays')
    return (
      <PermissionButton right="release.create" run={() => start('shadow')}>
        <Icon name="shadow" size={14} />
        {texts.startShadow}
      </PermissionButton>
    )
  if (!isLive) return null
  return (
    <PermissionButton right="audit.read" run={() => start('replay')}>
      <Icon name="play" size={14} />
      {texts.startReplay}
    </PermissionButton>
  )
}

interface StartBoxProps {
  readonly of: 'shadow' | 'replay' | undefined
  readonly ruleset: { readonly name: string; readonly live: readonly { readonly environment: string }[] } | undefined
  readonly environment: string | undefined
  readonly close: () => void
  readonly showShadows: () => void
}

/** The dialog that starts a shadow or a replay. */
function StartBox({ of, ruleset, environment, close, showShadows }: StartBoxProps) {
  if (of === 'replay' && ruleset !== undefined)
    return (
      <StartReplay
        ruleset={ruleset.name}
        environments={ruleset.live.map((one) => one.environment)}
        environment={environment}
        close={close}
        started={close}
      />
    )
  if (of !== 'shadow') return null
  return (
    <StartShadow
      ruleset={ruleset?.name}
      close={close}
      started={() => {
        close()
        showShadows()
      }}
    />
  )
}

interface ChoicesProps {
  readonly rulesets: readonly { readonly name: string }[]
  readonly environments: readonly { readonly name: string }[]
  readonly ruleset: { readonly name: string }
  readonly environment: { readonly name: string }
  readonly span: Span
  readonly set: (search: DecisionsSearch) => void
  /** True if only the ruleset can be selected. */
  readonly isOfRuleset: boolean
}

/** Selects the displayed ruleset, environment and time range. */
function Choices({ rulesets, environments, ruleset, environment, span, set, isOfRuleset }: ChoicesProps) {
  const texts = useDecisionTexts()
  return (
    <div className="row wrap filters">
      <Choice
        label={texts.ruleset}
        value={ruleset.name}
        options={rulesets.map(({ name }) => name)}
        choose={(name) => set({ ruleset: name })}
      />
      {!isOfRuleset && (
        <>
          <Choice
            label={texts.environment}
            value={environment.name}
            options={environments.map(({ name }) => name)}
            choose={(name) => set({ environment: name })}
          />
          <label className="row">
            <span className="label">{texts.span}</span>
            <select
              className="input"
              value={span}
              onChange={({ target }) => {
                const next = SPANS.find((one) => one === target.value)
                if (next !== undefined) set({ span: next })
              }}
            >
              {SPANS.map((one) => (
                <option key={one} value={one}>
                  {texts.spans[one]}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
    </div>
  )
}
