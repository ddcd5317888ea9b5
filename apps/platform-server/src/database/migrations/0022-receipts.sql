-- Receipts of engines: the platform is a witness of their logs, and recorded decisions name their receipts.

-- The highest checkpoint that an engine has reported of each of its chains.
create table receipt_chains (
  org_id uuid not null,
  server_id uuid not null,
  -- `<instance id>/<UUID>`.
  instance text collate "C" not null,
  -- Of the process that reported last.
  opening text not null,
  n bigint not null,
  -- Entries up to this checkpoint.
  entries bigint not null,
  checkpoint text not null,
  signature text not null,
  -- Whether the engine continues the chain.
  continued boolean not null,
  -- How a later report contradicts this checkpoint, which is kept then; null: none does.
  fault text check (fault in ('rolled_back', 'rewritten', 'missing')),
  faulty_at timestamptz(3),
  -- The checkpoint that was reported instead; null: none.
  contradiction text,
  reported_at timestamptz(3) not null,
  primary key (org_id, server_id, instance),
  foreign key (org_id, server_id) references servers (org_id, id) on delete cascade deferrable
);

-- `[{instance, fault, message}]` of the chains with a fault; null: there are none.
alter table servers add column receipt_faults json;
create index servers_receipt_faults on servers (id) where receipt_faults is not null;

-- `<instance>#<seq>`; null: the decision has no receipt.
alter table recorded_decisions add column receipt text collate "C";
create index recorded_decisions_receipt on recorded_decisions (org_id, project_id, receipt) where receipt is not null;
