-- Signatures of released contents that were made outside the platform.

-- Ed25519, base64 of 32 bytes: whose signatures an organization takes.
create table trusted_keys (
  org_id uuid not null references organizations (org_id) on delete cascade deferrable,
  public_key text collate "C" not null,
  primary key (org_id, public_key)
);

create table release_signatures (
  org_id uuid not null,
  release_id uuid not null,
  -- Of the content as engines get it, under the name of the ruleset or of its candidate.
  digest text collate "C" not null,
  public_key text collate "C" not null,
  signature text not null,
  signed_at text,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  primary key (org_id, release_id, digest),
  foreign key (org_id, release_id) references releases (org_id, id) on delete cascade deferrable
);
create index release_signatures_digest on release_signatures (org_id, digest);
