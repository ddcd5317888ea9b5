import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { CHANGE } from './change-keys.ts'
import type { ReleaseDiff, ReviewedParts } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

/** Whether callers must change, by ruleset and environment. */
export function ContractOfRelease({ parts: { diffs } }: { readonly parts: ReviewedParts }) {
  return diffs.map((diff) => <ContractOfTarget key={`${diff.environment} ${diff.ruleset}`} diff={diff} />)
}

function ContractOfTarget({ diff: { ruleset, environment, contract } }: { readonly diff: ReleaseDiff }) {
  const texts = useReviewTexts()
  const { oid, pid } = useIds()
  return (
    <section className="card" aria-label={texts.place(ruleset, environment)}>
      <header>
        <h2>{ruleset}</h2>
        <span className="tag">{environment}</span>
        <span className="grow" />
        {contract !== null && <Go to={paths.contract(oid, pid, ruleset)}>{texts.openContract}</Go>}
      </header>
      <div className="body stack">
        {contract === null ? (
          <p className="muted">{texts.noContract}</p>
        ) : contract.breaking ? (
          <>
            <div className="note" data-tone="bad">
              <Icon name="alert" />
              <div>{texts.breaksContract}</div>
            </div>
            <ul className="claims">
              {contract.breaks.map(({ path, message }) => (
                <li key={path + message} className={CHANGE} tabIndex={-1} data-tone="bad">
                  <Icon name="x" />
                  <div>
                    <code>{path}</code> {message}
                  </div>
                </li>
              ))}
            </ul>
          </>
        ) : (
          <div className="note" data-tone="ok">
            <Icon name="ok" />
            <div>{texts.keepsContract(contract.bump)}</div>
          </div>
        )}
      </div>
    </section>
  )
}
