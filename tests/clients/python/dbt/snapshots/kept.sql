{% snapshot kept %}
{{ config(target_schema='pond', unique_key='id', strategy='check', check_cols=['amount']) }}
select * from {{ ref('raw') }}
{% endsnapshot %}
