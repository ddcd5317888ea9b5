import { Author } from '../frame/author.tsx'
import { useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Release } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

/** The approvals that a release needs, who gave them, and who requested it. */
export function Approvals({ release }: { readonly release: Release }) {
  const texts = useReviewTexts()
  const time = useTime()
  const { requirements, reviews, authors, created_by: requester, created_at: at, status, allowed } = release
  const isWaiting = status === 'pending_approval'
  return (
    <section className="card approvals" aria-label={texts.approvals}>
      <header>
        <h2>{texts.approvals}</h2>
      </header>
      <div className="body stack">
        {requirements.length === 0 && <p className="muted">{texts.noApproval}</p>}
        {requirements.map((one) => (
          <Requirement key={`${one.environment ?? ''} ${one.policy_id ?? ''}`} requirement={one} />
        ))}
        {isWaiting && <p className="muted">{allowed.includes('approve') ? texts.mayApprove : texts.waits}</p>}
        {reviews.length > 0 && (
          <ul className="reviews">
            {reviews.map(({ user, decision, comment, at: when }) => (
              <li key={user + when}>
                <span className="row wrap">
                  <b>
                    <Author id={user} />
                  </b>
                  <span className="tag" data-tone={decision === 'approved' ? 'ok' : 'bad'}>
                    {texts.reviewed[decision]}
                  </span>
                </span>
                {comment !== '' && <p>{comment}</p>}
                <small className="muted tnum">{time(when)}</small>
              </li>
            ))}
          </ul>
        )}
        <dl className="people">
          <dt>{texts.requestedBy}</dt>
          <dd>
            <Author id={requester} /> <small className="muted tnum">{time(at)}</small>
          </dd>
          {authors.length > 0 && (
            <>
              <dt>{texts.authors}</dt>
              <dd>
                {authors.map((id, index) => (
                  <span key={id}>
                    {index > 0 && ', '}
                    <Author id={id} />
                  </span>
                ))}
              </dd>
            </>
          )}
        </dl>
      </div>
    </section>
  )
}

function Requirement({
  requirement: { environment, min_count: count, approved_by: by, satisfied, roles, exclude_authors: excludes },
}: {
  readonly requirement: Release['requirements'][number]
}) {
  const texts = useReviewTexts()
  return (
    <div className="requirement" data-tone={satisfied ? 'ok' : 'warn'}>
      <Icon name={satisfied ? 'ok' : 'alert'} size={16} />
      <div>
        <p>
          <b>{environment ?? texts.becauseBreaking}</b> {texts.approvedBy(by.length, count)}{' '}
          {roles.length > 0 && texts.byRoles(roles.join(', '))}
        </p>
        {by.length > 0 && (
          <p>
            {by.map((id, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <Author id={id} />
              </span>
            ))}
          </p>
        )}
        {excludes && !satisfied && <p className="muted">{texts.authorsExcluded}</p>}
      </div>
    </div>
  )
}
