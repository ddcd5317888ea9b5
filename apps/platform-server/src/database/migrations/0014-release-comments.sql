-- What members say about a release beside their reviews.

create table release_comments (
  org_id uuid not null,
  id uuid not null,
  release_id uuid not null,
  text text not null,
  created_at timestamptz(3) not null default now(),
  -- Id of the user.
  created_by text not null,
  primary key (org_id, id),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index release_comments_release on release_comments (org_id, release_id, id);

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('release_approval_pending', 'release_failed', 'release_commented', 'tests_failed', 'member_changed'));
