import type { DraftRuleset } from '@engine/authoring'
import { useList } from '../../api/data.ts'
import { useIds } from '../../frame/route-scope.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Go } from '../../ui/link.tsx'
import { useEditor } from '../state/editor-context.ts'
import { nextVersions } from './version-numbers.ts'

type Config = DraftRuleset['config']

/** Version, description, contract and kind of numbers of a ruleset. */
export function RulesetSettings() {
  const { side: words, errors } = useTexts()
  const { name, draft, session, surroundings } = useEditor()
  const { oid, pid } = useIds()
  const { config } = draft
  const contracts = useList('/api/v1/orgs/{oid}/projects/{pid}/contracts', { path: { oid, pid } }).items ?? []
  const put = (label: string, change: Partial<Config>, key: string) =>
    session?.apply(label, (old) => ({ ...old, config: withoutEmpty({ ...old.config, ...change }) }), key)
  const isReadOnly = session === undefined
  const contract = config.contract ?? ''
  const names = contracts.map((one) => one.name)
  return (
    <div className="details" title={isReadOnly ? errors.needs('ruleset.edit') : undefined}>
      <section>
        <h2 className="mono">{name}</h2>
        <label className="field">
          <span className="label">{words.version}</span>
          <input
            className="input mono"
            value={config.version ?? ''}
            readOnly={isReadOnly}
            onChange={({ target }) => put(words.changeVersion, { version: target.value }, 'version')}
          />
        </label>
        <LiveVersions put={(version) => put(words.changeVersion, { version }, 'version')} />
        <label className="field">
          <span className="label">{words.description}</span>
          <textarea
            className="input"
            rows={3}
            value={config.description ?? ''}
            readOnly={isReadOnly}
            onChange={({ target }) => put(words.changeDescription, { description: target.value }, 'description')}
          />
        </label>
      </section>
      <section>
        <label className="field">
          <span className="label">{words.contract}</span>
          <select
            className="input"
            value={contract}
            disabled={isReadOnly}
            onChange={({ target }) => put(words.changeContract, { contract: target.value }, 'contract')}
          >
            <option value="">{words.contractOfName(names.includes(name))}</option>
            {contract !== '' && !names.includes(contract) && <option>{contract}</option>}
            {names.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <p className="muted">{words.contractText}</p>
        {surroundings.contract !== undefined && (
          <p>
            <Go to={paths.contract(oid, pid, surroundings.contract.name)}>
              {words.openContract(surroundings.contract.name)}
            </Go>
          </p>
        )}
        <label className="field">
          <span className="label">{words.numbers}</span>
          <select
            className="input"
            value={config.numbers ?? 'double'}
            disabled={isReadOnly}
            onChange={({ target }) =>
              put(words.changeNumbers, { numbers: target.value === 'decimal' ? 'decimal' : 'double' }, 'numbers')
            }
          >
            <option value="decimal">{words.decimal}</option>
            <option value="double">{words.double}</option>
          </select>
        </label>
        <p className="muted">{words.numbersText}</p>
      </section>
    </div>
  )
}

/** Removes members that were cleared in their text field. */
function withoutEmpty({ description, contract, ...rest }: Config): Config {
  return {
    ...rest,
    ...(description !== undefined && description !== '' && { description }),
    ...(contract !== undefined && contract !== '' && { contract }),
  }
}

/** The live versions by environment, and the possible next versions if the draft's version is live. */
function LiveVersions({ put }: { readonly put: (version: string) => void }) {
  const { side: words } = useTexts()
  const { name, draft, session } = useEditor()
  const rulesets = useList('/api/v1/orgs/{oid}/projects/{pid}/rulesets', { path: useIds() }).items
  const live = rulesets?.find((one) => one.name === name)?.live ?? []
  const version = draft.config.version ?? ''
  if (live.length === 0) return <p className="muted">{words.nowhereLive}</p>
  const next = live.some((one) => one.version === version) ? nextVersions(version) : undefined
  return (
    <>
      <p className="muted">{words.live(live.map((one) => `${one.environment} ${one.version}`).join(', '))}</p>
      {next !== undefined && session !== undefined && (
        <div className="row wrap" role="group" aria-label={words.nextVersion}>
          {next.map((one, index) => (
            <button key={one} type="button" className="btn" title={words.bumps[index]} onClick={() => put(one)}>
              {one}
              <span className="vh"> {words.bumps[index]}</span>
            </button>
          ))}
        </div>
      )}
    </>
  )
}
