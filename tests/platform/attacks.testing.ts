/**
 * Ways around the approvals of a release: data for attacks.test.ts. Each begins in a separate project whose policy for `prod`
 * wants one approval of a person who is no author. `alice`, `bob` and `carol` are admins, `eve` is an editor, `vic` a viewer,
 * `mallory` belongs to another organization, `owner` owns this one.
 */
export interface Attack {
  readonly title: string
  /** Further settings of the policy; null: there is no policy. */
  readonly policy?: object | null
  /** What goes before, in the words of `ACTS`; each must succeed. */
  readonly given: readonly string[]
  /** The attempt. */
  readonly attempt: string
  /** Status, and `details[0].code` where it is refused. */
  readonly answer: readonly [number, string?]
  /** The state of the release afterwards. */
  readonly leaves?: string
}

const made = ['eve edits', 'eve asks']
const approved = [...made, 'bob approves']
const two = { approvers: { min_count: 2, exclude_authors: true } }
const always = { freeze_window: { cron: '* * * * *', duration: '1d' } }
/** Open all year: no clock change of the zone lets anything through. */
const yearly = { freeze_window: { cron: '0 0 1 * *', duration: '32d', time_zone: 'Europe/Berlin' } }

const own: readonly Attack[] = [
  {
    title: 'the author of the content approves',
    given: ['alice edits', 'eve asks'],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'the author of an earlier save of the same content approves',
    given: ['alice edits', ...made],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'an author approves what a key of hers has edited',
    given: ['alice makes a key', 'the key edits', 'eve asks'],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'an author revokes the key that has edited, and approves',
    given: ['alice makes a key', 'the key edits', 'alice revokes the key', 'eve asks'],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'an author edits by a key that a key of hers has made',
    given: ['alice makes a key', 'the key makes a key', 'the key edits', 'eve asks'],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'an author edits under another name, has the ruleset renamed, and approves',
    given: ['alice edits elsewhere', 'eve renames it here', 'eve asks'],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'the author of a sub-rule in the content approves',
    given: ['alice edits the sub-rule', 'eve edits with the sub-rule', 'eve asks'],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'the author of the contract approves',
    given: ['alice edits the contract', ...made],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'the author of a concept in the contract approves',
    given: ['alice makes the concept', 'eve has the contract name it', ...made],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'the author of a fact of the contract approves',
    given: [
      'eve makes the fact',
      'eve makes the concept',
      'eve has the contract name it',
      'alice edits the fact',
      ...made,
    ],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'who weakened the tests approves',
    given: ['eve edits', 'alice edits the tests', 'eve asks'],
    attempt: 'alice approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'an author rejects, to be the one who decides',
    given: ['alice edits', 'eve asks'],
    attempt: 'alice rejects',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
]

const rights: readonly Attack[] = [
  { title: 'an editor approves', given: made, attempt: 'eve approves', answer: [403, 'release.approve'] },
  { title: 'a viewer approves', given: made, attempt: 'vic approves', answer: [403, 'release.approve'] },
  { title: 'a stranger approves', given: made, attempt: 'mallory approves', answer: [404] },
  {
    title: 'a key approves that has the right',
    given: [...made, 'bob makes a key'],
    attempt: 'the key approves',
    answer: [403, 'person'],
    leaves: 'pending_approval',
  },
  {
    title: 'an admin approves what owners must',
    policy: { approvers: { roles: ['owner'], exclude_authors: true } },
    given: made,
    attempt: 'bob approves',
    answer: [403, 'release.approve'],
    leaves: 'pending_approval',
  },
  {
    title: 'an admin takes the role that approves',
    policy: { approvers: { roles: ['owner'] } },
    given: made,
    attempt: 'bob becomes owner',
    answer: [403],
  },
  {
    title: 'an editor weakens the policy',
    given: made,
    attempt: 'eve has no approvals asked for',
    answer: [403, 'project.manage'],
  },
  {
    title: 'a person who is invited approves before joining',
    given: made,
    attempt: 'the invited approves',
    answer: [404],
  },
  {
    title: 'a person joins by an invitation that has expired, and approves',
    given: [...made, 'the owner invites dave', 'the invitation expires'],
    attempt: 'dave accepts and approves',
    answer: [404],
    leaves: 'pending_approval',
  },
  {
    title: 'a person whose session has ended approves',
    given: [...made, 'bob signs out'],
    attempt: 'bob approves',
    answer: [401],
    leaves: 'pending_approval',
  },
  {
    title: 'a person whose session has expired approves',
    given: [...made, 'the session of bob expires'],
    attempt: 'bob approves',
    answer: [401],
    leaves: 'pending_approval',
  },
  { title: 'an editor executes', given: approved, attempt: 'eve executes', answer: [403, 'release.execute'] },
  {
    title: 'an editor cancels the release of another',
    given: ['alice edits', 'alice asks'],
    attempt: 'eve cancels',
    answer: [403, 'release.execute'],
  },
]

const counting: readonly Attack[] = [
  {
    title: 'one person approves twice',
    policy: two,
    given: approved,
    attempt: 'bob approves',
    answer: [409, 'reviewed'],
    leaves: 'pending_approval',
  },
  {
    title: 'one person approves twice at the same time',
    policy: two,
    given: made,
    attempt: 'bob approves twice at once',
    answer: [409, 'reviewed'],
    leaves: 'pending_approval',
  },
  {
    title: 'a removed member approves with a second account',
    policy: two,
    given: [...approved, 'the owner removes bob', 'bob joins with another account'],
    attempt: 'the other bob approves',
    answer: [200],
    leaves: 'pending_approval',
  },
  {
    title: 'a removed member approves',
    given: [...made, 'the owner removes bob'],
    attempt: 'bob approves',
    answer: [404],
    leaves: 'pending_approval',
  },
  {
    title: 'a person approves who rejected before',
    given: [...made, 'bob rejects'],
    attempt: 'bob approves',
    answer: [409, 'wrong_state'],
    leaves: 'rejected',
  },
  {
    title: 'another approves what was rejected',
    given: [...made, 'bob rejects'],
    attempt: 'carol approves',
    answer: [409, 'wrong_state'],
    leaves: 'rejected',
  },
  {
    title: 'a person approves what was withdrawn',
    given: [...made, 'eve cancels'],
    attempt: 'bob approves',
    answer: [409, 'wrong_state'],
    leaves: 'cancelled',
  },
  {
    title: 'a person approves another content than the one that was read',
    given: made,
    attempt: 'bob approves what he has read before',
    answer: [409, 'stale'],
    leaves: 'pending_approval',
  },
]

const between: readonly Attack[] = [
  {
    title: 'a release is executed without approvals',
    given: made,
    attempt: 'bob executes',
    answer: [409, 'wrong_state'],
    leaves: 'pending_approval',
  },
  {
    title: 'the approver loses the role before the execution',
    given: [...approved, 'bob becomes a viewer'],
    attempt: 'carol executes',
    answer: [409, 'approvals_missing'],
    leaves: 'pending_approval',
  },
  {
    title: 'the approver is removed before the execution',
    given: [...approved, 'the owner removes bob'],
    attempt: 'carol executes',
    answer: [409, 'approvals_missing'],
    leaves: 'pending_approval',
  },
  {
    title: 'the policy wants two before the execution',
    given: [...approved, 'the owner has two approvals asked for'],
    attempt: 'carol executes',
    answer: [409, 'approvals_missing'],
    leaves: 'pending_approval',
  },
  {
    title: 'the policy wants owners before the execution',
    given: [...approved, 'the owner has owners asked for'],
    attempt: 'carol executes',
    answer: [409, 'approvals_missing'],
    leaves: 'pending_approval',
  },
  {
    title: 'the policy is weakened when the release is there',
    policy: two,
    given: [...made, 'alice has one approval asked for'],
    attempt: 'bob approves',
    answer: [200],
    leaves: 'pending_approval',
  },
  {
    title: 'the policy is deleted when the release is there',
    policy: two,
    given: [...made, 'alice deletes the policy'],
    attempt: 'bob approves',
    answer: [200],
    leaves: 'pending_approval',
  },
  {
    title: 'a policy of a lower priority asks for nothing',
    given: [...made, 'alice makes a policy below that asks for nothing'],
    attempt: 'carol executes',
    answer: [409, 'wrong_state'],
    leaves: 'pending_approval',
  },
]

/** The approved content stays unchanged; the edited one is another content, which needs separate approvals. */
function editedAfter(content: readonly string[], edit: string): readonly Attack[] {
  const given = [...content, 'eve asks', 'bob approves', edit]
  return [
    {
      title: `${edit} after the approval, and the new release is approved by what was read before`,
      given: [...given, 'eve asks again'],
      attempt: 'bob approves what he has read first',
      answer: [409, 'stale'],
      leaves: 'pending_approval',
    },
    {
      title: `${edit} after the approval: what was approved is executed`,
      given,
      attempt: 'carol executes what was approved',
      answer: [202],
    },
  ]
}

const contents: readonly Attack[] = [
  {
    title: 'the content is edited while it is approved',
    given: made,
    attempt: 'bob approves while eve edits',
    answer: [200],
    leaves: 'approved',
  },
  ...editedAfter(['eve edits'], 'eve edits'),
  ...editedAfter(['eve edits the sub-rule', 'eve edits with the sub-rule'], 'eve changes the sub-rule'),
  ...editedAfter(['eve edits'], 'alice edits the contract'),
  ...editedAfter(['eve edits'], 'alice edits the tests'),
  ...editedAfter(['eve makes the concept', 'eve has the contract name it', 'eve edits'], 'eve changes the concept'),
  ...editedAfter(
    ['eve makes the fact', 'eve makes the concept', 'eve has the contract name it', 'eve edits'],
    'alice edits the fact',
  ),
  {
    title: 'an edit goes round the release',
    given: [...approved, 'alice edits'],
    attempt: 'alice publishes',
    answer: [409, 'release_required'],
    leaves: 'approved',
  },
  {
    title: 'a policy of dev is gone round by publishing',
    policy: { match: { environments: ['dev'] } },
    given: ['alice edits'],
    attempt: 'alice publishes into dev',
    answer: [409, 'release_required'],
  },
  {
    title: 'a release is approved under another project',
    given: [...made, 'bob has a project of his own'],
    attempt: 'bob approves there',
    answer: [404],
    leaves: 'pending_approval',
  },
  {
    title: 'a release is approved under another organization',
    given: made,
    attempt: 'mallory approves at home',
    answer: [404],
    leaves: 'pending_approval',
  },
]

const freezes: readonly Attack[] = [
  {
    title: 'a release is executed in a freeze window',
    policy: always,
    given: approved,
    attempt: 'bob executes',
    answer: [409, 'frozen'],
    leaves: 'approved',
  },
  {
    title: 'a freeze window has clock changes in it',
    policy: yearly,
    given: approved,
    attempt: 'bob executes',
    answer: [409, 'frozen'],
    leaves: 'approved',
  },
  {
    title: 'an admin has an emergency',
    policy: always,
    given: approved,
    attempt: 'bob executes in an emergency',
    answer: [403, 'org.manage'],
    leaves: 'approved',
  },
  {
    title: 'the owner has an emergency: it is executed, and the reason is kept',
    policy: always,
    given: approved,
    attempt: 'the owner executes in an emergency, on the record',
    answer: [202],
  },
  {
    title: 'the owner has an emergency without approvals',
    policy: always,
    given: made,
    attempt: 'the owner executes in an emergency',
    answer: [409, 'wrong_state'],
    leaves: 'pending_approval',
  },
  {
    title: 'a freeze window begins after the approval',
    given: [...approved, 'alice freezes'],
    attempt: 'bob executes',
    answer: [409, 'frozen'],
    leaves: 'approved',
  },
]

export const ATTACKS: readonly (readonly [string, readonly Attack[]])[] = [
  ['reviewing what is one’s own', own],
  ['reviewing without the right', rights],
  ['being counted more than once', counting],
  ['changing roles and policies in between', between],
  ['changing the content', contents],
  ['freeze windows', freezes],
]
