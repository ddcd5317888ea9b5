-- People and how they prove who they are. Times have milliseconds, as the API shows them: a cursor made of one finds its row.

create table users (
  id uuid primary key,
  -- In lower case; "C", so that sorting and paging are alike in every database.
  email text collate "C" not null unique,
  display_name text collate "C" not null,
  -- null: signs in by a one-time link or single sign-on only.
  password_hash text,
  -- Sessions of an earlier epoch have ended: a password change ends all others.
  auth_epoch integer not null default 0,
  last_login timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  rev integer not null default 1
);

-- Accounts of an OpenID Connect issuer. The address never links accounts.
create table external_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id) on delete cascade deferrable,
  created_at timestamptz(3) not null default now(),
  primary key (issuer, subject)
);
create index external_identities_user on external_identities (user_id);

create table sessions (
  id uuid primary key,
  token_hash bytea not null unique,
  prefix text not null,
  user_id uuid not null references users (id) on delete cascade deferrable,
  auth_epoch integer not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ip text,
  user_agent text
);
create index sessions_user on sessions (user_id, id);

create table one_time_tokens (
  id uuid primary key,
  token_hash bytea not null unique,
  purpose text not null check (purpose in ('sign-in', 'reset')),
  user_id uuid not null references users (id) on delete cascade deferrable,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index one_time_tokens_user on one_time_tokens (user_id);

-- Attempts in a window that begins with the first of them. Subject: `account:<e-mail>` or `address:<ip>`.
create table sign_in_attempts (
  subject text primary key,
  window_begun timestamptz(3) not null default now(),
  attempts integer not null
);

-- Browsers that have signed in before: their attempts are counted apart from those of strangers.
create table known_devices (
  token_hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade deferrable,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null default now()
);
create index known_devices_user on known_devices (user_id);

-- Single sign-on that has begun in one browser and not come back yet.
create table sign_in_flows (
  state_hash bytea primary key,
  browser_hash bytea not null,
  code_verifier text not null,
  nonce text not null,
  return_to text,
  expires_at timestamptz(3) not null
);

-- The first answer to a request with an idempotency key. answer_status null: the request is still being answered.
create table idempotency_keys (
  caller text not null,
  key text not null,
  route text not null,
  request_digest bytea not null,
  answer_status integer,
  answer_headers json,
  answer_body bytea,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  primary key (caller, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

-- Work that one replica at a time does again and again. The fence refuses a worker whose lease is over.
create table periodic (
  name text primary key,
  next_run_at timestamptz(3) not null default now(),
  lease_until timestamptz(3),
  fence integer not null default 0
);
