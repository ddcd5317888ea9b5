-- Whether the proxy reaches rulesets that were stored on an engine directly.

alter table environments
  add column allow_local_rulesets boolean not null default false;

-- Which engine records have an address: names that any of them has are not local there.
create index servers_url on servers (url);
