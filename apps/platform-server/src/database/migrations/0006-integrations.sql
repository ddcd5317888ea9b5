-- What other systems are told, and who holds the claim of an idempotency key.

create table webhooks (
  org_id uuid not null,
  id uuid not null,
  project_id uuid not null,
  url text not null,
  -- Types of release events, or `*`.
  events text[] not null,
  format text not null check (format in ('json', 'slack', 'teams')),
  enabled boolean not null,
  -- Sealed with the key of the platform.
  secret_encrypted bytea not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1,
  primary key (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id) on delete cascade deferrable
);
create index webhooks_project on webhooks (org_id, project_id);

-- One message to one receiver: its id is the same in every attempt, so that the receiver knows repetitions.
create table webhook_deliveries (
  org_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event text not null,
  -- The message as it is sent, in the format that the webhook had at that time.
  body text not null,
  attempt integer not null default 0,
  status text not null default 'pending' check (status in ('pending', 'success', 'failed')),
  response_status integer,
  -- Of the next attempt; null: there is none. While one is under way it is the time after which another replica repeats it.
  next_at timestamptz(3),
  -- Counts the attempts that began: the outcome of one that was given up is not stored over that of the next.
  fence integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade deferrable,
  check ((status = 'pending') = (next_at is not null))
);
create index webhook_deliveries_webhook on webhook_deliveries (org_id, webhook_id, id desc);
create index webhook_deliveries_due on webhook_deliveries (next_at) where next_at is not null;

-- Which request holds the key while it has no answer; `expires_at` is moved on as long as the request is being answered.
alter table idempotency_keys add column claim uuid;
