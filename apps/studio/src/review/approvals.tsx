import { useGet } from '../api/data.ts'
import { Author, useAuthorName } from '../frame/author.tsx'
import { Avatar } from '../frame/avatar.tsx'
import { useIds, useMe } from '../frame/route-scope.ts'
import { useAgo } from '../texts/ago.ts'
import { Icon } from '../ui/icon.tsx'
import type { Release } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

type Requirement = Release['requirements'][number]

/** Maximum number of listed approvers. */
const MAX_NAMED = 4

/** The required approvals of a release: those given, the members who can give the others, and the rule. */
export function Approvals({ release }: { readonly release: Release }) {
  const texts = useReviewTexts()
  const { requirements, reviews, status } = release
  const needed = requirements.reduce((most, { min_count: count }) => Math.max(most, count), 0)
  const given = requirements.reduce((least, { approved_by: by }) => Math.min(least, by.length), needed)
  const rejected = reviews.filter(({ decision }) => decision === 'rejected')
  const approved = reviews.filter(({ decision }) => decision === 'approved')
  return (
    <section className="card approvals" aria-label={texts.approvals}>
      <header>
        <h2>{texts.approvals}</h2>
        <span className="grow" />
        {needed > 0 && <span className="muted tnum">{texts.approvalCount(given, needed)}</span>}
      </header>
      <div className="body stack">
        {requirements.length === 0 && <p className="muted">{texts.noApproval}</p>}
        {[...approved, ...rejected].map(({ user, decision, comment, at }) => (
          <Review key={user + at} user={user} decision={decision} comment={comment} at={at} release={release} />
        ))}
        {status === 'pending_approval' &&
          requirements
            .filter(({ satisfied }) => !satisfied)
            .map((one) => (
              <Missing key={`${one.environment ?? ''} ${one.policy_id ?? ''}`} requirement={one} release={release} />
            ))}
        {requirements.map((one) => (
          <Rule key={`${one.environment ?? ''} ${one.policy_id ?? ''}`} requirement={one} release={release} />
        ))}
      </div>
    </section>
  )
}

function Review({
  user,
  decision,
  comment,
  at,
  release: { requirements },
}: Release['reviews'][number] & { readonly release: Release }) {
  const texts = useReviewTexts()
  const ago = useAgo()
  const name = useAuthorName(user)
  const counts = decision === 'rejected' || requirements.some(({ approved_by: by }) => by.includes(user))
  return (
    <div className="approver" data-decision={decision}>
      <Avatar name={name} />
      <div>
        <p>
          <b>{name}</b> <Icon name={decision === 'approved' ? 'ok' : 'x'} size={14} />{' '}
          <span className="vh">{texts.reviewed[decision]}</span>
        </p>
        <small>
          {ago(at)}
          {comment !== '' && texts.quoted(comment)}
        </small>
        {!counts && <small className="warn-text">{texts.countsNoMore(name)}</small>}
      </div>
    </div>
  )
}

/** The missing approvals, and the members who may give them. */
function Missing({ requirement, release }: { readonly requirement: Requirement; readonly release: Release }) {
  const texts = useReviewTexts()
  const { oid } = useIds()
  const me = useMe().data?.user?.id
  const members = useGet('/api/v1/orgs/{oid}/members', { path: { oid }, query: { limit: 200 } }).data?.items ?? []
  const { min_count: count, approved_by: by, roles, exclude_authors: excludes } = requirement
  const missing = Math.max(0, count - by.length)
  const names = members.flatMap(({ user_id: id, roles: own, status, display_name: name, email }) => {
    if (id === null || status !== 'active' || id === me || by.includes(id)) return []
    if (excludes && release.authors.includes(id)) return []
    return roles.some((role) => own.includes(role)) ? [name === '' ? email : name] : []
  })
  const isMine = release.allowed.includes('approve')
  const who = [...(isMine ? [texts.you] : []), ...names.slice(0, MAX_NAMED)]
  return (
    <div className="approver" data-decision="missing">
      <span className="avatar" aria-hidden="true">
        ?
      </span>
      <div>
        <p>
          <b>{texts.missing(missing, roles.join(texts.or))}</b>
        </p>
        <small>{who.length > 0 ? texts.mayBe(who.join(', ')) : texts.waits}</small>
      </div>
    </div>
  )
}

/** The rule behind a requirement. */
function Rule({ requirement, release }: { readonly requirement: Requirement; readonly release: Release }) {
  const texts = useReviewTexts()
  const policies = useGet('/api/v1/orgs/{oid}/projects/{pid}/release-policies', { path: useIds() }).data?.items
  const {
    environment,
    policy_id: id,
    min_count: count,
    roles,
    exclude_authors: excludes,
    approved_by: by,
  } = requirement
  const policy = policies?.find((one) => one.id === id)
  return (
    <p className="muted rule">
      {policy === undefined ? texts.defaultRule(environment ?? texts.becauseBreaking) : texts.rule(policy.name)}{' '}
      {texts.ruleCount(by.length, count, roles.join(texts.or))}
      {excludes && release.authors.length > 0 && (
        <>
          {texts.ruleAuthors[0]}
          {release.authors.map((author, index) => (
            <span key={author}>
              {index > 0 && ', '}
              <Author id={author} />
            </span>
          ))}
          {texts.ruleAuthors[1]}
        </>
      )}
    </p>
  )
}
