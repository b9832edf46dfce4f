// Rows of what is looked for: types of resources, sources of modules. Everything else is passed over.
//
// The module of the VPC tags its subnets by kind, and the module of EKS tags two security groups, one of which EKS
// makes itself; that is what their documentation says. What a row does not know is open: no check claims that it is
// missing.
#include "doctor/terraform.h"

#include "doctor/hcl_value.h"

typedef struct {
    Arena *arena;
    HclScope scope;
    Facts *facts;
    Value defaults; // default_tags of providers
} Terraform;

// Values.

static Value value_of(Terraform *terraform, const HclBlock *block, const char *name) {
    return hcl_value(&terraform->scope, hcl_attribute(block, name));
}

// `ptr` NULL: not known.
static Slice text_of(const Value *value) {
    return value && value->kind == VALUE_STRING ? value->text : (Slice){0};
}

static Slice attribute_text(Terraform *terraform, const HclBlock *block, const char *name) {
    Value value = value_of(terraform, block, name);

    return text_of(&value);
}

static bool is_off(Terraform *terraform, const HclBlock *block, const char *name) {
    return slice_eq(attribute_text(terraform, block, name), SLICE("false"));
}

static FactPlace place_of(const HclBlock *block) {
    return (FactPlace){block->file, block->line};
}

// Tags and resources.

static FactTags tags_of(Terraform *terraform, const Value *map) {
    FactTags tags = {0};

    for (vec_each(const ValueMember, member, &map->map)) {
        if (member->key.len)
            vec_push(terraform->arena, &tags.pairs, (TextPair){member->key, text_of(&member->value), member->line});
        else
            tags.is_open = true;
    }
    return tags;
}

// Adds the tags of an attribute, if it is there.
static void add_tags(Terraform *terraform, Value *map, const HclBlock *block, const char *name) {
    Value tags = value_of(terraform, block, name);

    if (hcl_attribute(block, name))
        hcl_merge(terraform->arena, map, &tags);
}

static Value default_tags(Terraform *terraform) {
    Value map = value_map();

    hcl_merge(terraform->arena, &map, &terraform->defaults);
    return map;
}

static void add_resource(Terraform *terraform, FactResourceVec *resources, const HclBlock *block, Slice name,
                         const Value *tags) {
    vec_push(terraform->arena, resources,
             (FactResource){.place = place_of(block), .name = name, .tags = tags_of(terraform, tags), .free_ips = -1});
}

static void take_resource(Terraform *terraform, FactResourceVec *resources, const HclBlock *block) {
    Value tags = default_tags(terraform);

    add_tags(terraform, &tags, block, "tags");
    add_resource(terraform, resources, block,
                 arena_printf(terraform->arena, "%.*s.%.*s", SLICE_ARG(block->labels[0]), SLICE_ARG(block->labels[1])),
                 &tags);
}

static void take_subnet(Terraform *terraform, const HclBlock *block) {
    take_resource(terraform, &terraform->facts->subnets, block);
}

static void take_group(Terraform *terraform, const HclBlock *block) {
    take_resource(terraform, &terraform->facts->groups, block);
}

// A tag of something that is made elsewhere: it may be any subnet or group.
static void take_loose_tag(Terraform *terraform, const HclBlock *block) {
    Value open = value_map();

    value_put(terraform->arena, &open, SLICE(""), value_null());
    add_resource(terraform, &terraform->facts->subnets, block, SLICE("aws_ec2_tag"), &open);
    add_resource(terraform, &terraform->facts->groups, block, SLICE("aws_ec2_tag"), &open);
}

static void take_queue(Terraform *terraform, const HclBlock *block) {
    (void)block;
    terraform->facts->makes_queue = true;
}

static void take_access_entry(Terraform *terraform, const HclBlock *block) {
    (void)block;
    terraform->facts->has_access_entry = true;
}

static void take_linked_role(Terraform *terraform, const HclBlock *block) {
    if (slice_eq(attribute_text(terraform, block, "aws_service_name"), SLICE("spot.amazonaws.com")))
        terraform->facts->has_spot_role = true;
}

// Helm's settings.

static bool is_key(Slice name, const char *const *keys) {
    while (*keys) {
        if (slice_eq_text(name, *keys++))
            return true;
    }
    return false;
}

static void take_setting(Facts *facts, FactPlace place, Slice name, Slice value) {
    static const char *const profiles[] = {"settings.aws.defaultInstanceProfile", NULL};
    static const char *const queues[] = {"settings.aws.interruptionQueueName", "settings.interruptionQueue", NULL};

    if (is_key(name, profiles))
        facts->profile = (FactSetting){place, true, value};
    if (is_key(name, queues))
        facts->queue = (FactSetting){place, true, value};
}

// Files of values may set anything.
static void take_unknown_settings(Facts *facts, FactPlace place) {
    facts->profile = facts->profile.is_given ? facts->profile : (FactSetting){.place = place, .is_given = true};
    facts->queue = facts->queue.is_given ? facts->queue : (FactSetting){.place = place, .is_given = true};
}

// The newer `set = [{name = …, value = …}]`.
static void take_set_list(Terraform *terraform, const HclBlock *block) {
    Value list = value_of(terraform, block, "set");

    if (hcl_attribute(block, "set") && list.kind != VALUE_LIST)
        take_unknown_settings(terraform->facts, place_of(block));
    if (list.kind != VALUE_LIST)
        return;
    for (vec_each(const Value, set, &list.list))
        take_setting(terraform->facts, place_of(block), text_of(value_get_text(set, "name")),
                     text_of(value_get_text(set, "value")));
}

static void take_release(Terraform *terraform, const HclBlock *block) {
    Facts *facts = terraform->facts;

    if (!slice_ends_with(attribute_text(terraform, block, "chart"), SLICE("karpenter")))
        return;
    facts->has_settings = true;
    facts->settings = place_of(block);
    facts->chart = (FactSetting){facts->settings, true, attribute_text(terraform, block, "version")};
    for (vec_each(const HclBlock, set, &block->blocks)) {
        if (slice_eq(set->type, SLICE("set")))
            take_setting(facts, place_of(set), attribute_text(terraform, set, "name"),
                         attribute_text(terraform, set, "value"));
    }
    take_set_list(terraform, block);
    if (hcl_attribute(block, "values"))
        take_unknown_settings(facts, place_of(block));
}

// Who may join the cluster.

static SliceVec texts_of(Terraform *terraform, const Value *list) {
    SliceVec texts = {0};

    if (list && list->kind == VALUE_LIST) {
        for (vec_each(const Value, element, &list->list))
            vec_push(terraform->arena, &texts, text_of(element));
    }
    return texts;
}

static void take_auth_roles(Terraform *terraform, const HclBlock *block) {
    Facts *facts = terraform->facts;
    Value list = value_of(terraform, block, "aws_auth_roles");

    if (!hcl_attribute(block, "aws_auth_roles"))
        return;
    facts->has_auth = true;
    facts->auth = place_of(block);
    facts->has_open_auth = facts->has_open_auth || list.kind != VALUE_LIST;
    if (list.kind != VALUE_LIST)
        return;
    for (vec_each(const Value, role, &list.list))
        vec_push(terraform->arena, &facts->mappings,
                 (FactMapping){.place = facts->auth,
                               .role = text_of(value_get_text(role, "rolearn")),
                               .username = text_of(value_get_text(role, "username")),
                               .groups = texts_of(terraform, value_get_text(role, "groups"))});
}

// `yamlencode(…)`: its roles cannot be told.
static void take_config_map(Terraform *terraform, const HclBlock *block) {
    for (vec_each(const HclBlock, inner, &block->blocks)) {
        if (!slice_eq(attribute_text(terraform, inner, "name"), SLICE("aws-auth")))
            continue;
        terraform->facts->has_auth = terraform->facts->has_open_auth = true;
        terraform->facts->auth = place_of(block);
    }
}

// Modules.

static Slice part_name(Terraform *terraform, const HclBlock *block, const char *part) {
    return arena_printf(terraform->arena, "module.%.*s.%s", SLICE_ARG(block->labels[0]), part);
}

static void take_vpc(Terraform *terraform, const HclBlock *block) {
    static const char *const kinds[][2] = {{"public_subnet_tags", "public_subnets"},
                                           {"private_subnet_tags", "private_subnets"},
                                           {"intra_subnet_tags", "intra_subnets"},
                                           {"database_subnet_tags", "database_subnets"}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Value tags = default_tags(terraform);

        add_tags(terraform, &tags, block, "tags");
        add_tags(terraform, &tags, block, kinds[i][0]);
        add_resource(terraform, &terraform->facts->subnets, block, part_name(terraform, block, kinds[i][1]), &tags);
    }
}

// EKS tags the group that it makes, the module its own one.
static void add_cluster_tag(Terraform *terraform, const HclBlock *block, Value *tags) {
    Slice cluster = attribute_text(terraform, block, "cluster_name");
    Slice name = cluster.ptr ? cluster : attribute_text(terraform, block, "name");

    if (name.ptr)
        value_put(terraform->arena, tags, arena_printf(terraform->arena, "kubernetes.io/cluster/%.*s", SLICE_ARG(name)),
                  value_string(SLICE("owned")));
    else
        value_put(terraform->arena, tags, SLICE(""), value_null());
}

static void add_eks_group(Terraform *terraform, const HclBlock *block, const char *part, const char *more) {
    Value tags = default_tags(terraform);

    add_tags(terraform, &tags, block, "tags");
    add_tags(terraform, &tags, block, more);
    add_cluster_tag(terraform, block, &tags);
    add_resource(terraform, &terraform->facts->groups, block, part_name(terraform, block, part), &tags);
}

static void take_eks(Terraform *terraform, const HclBlock *block) {
    if (!is_off(terraform, block, "create_cluster_primary_security_group_tags"))
        add_eks_group(terraform, block, "cluster_primary_security_group", "");
    if (!is_off(terraform, block, "create_node_security_group"))
        add_eks_group(terraform, block, "node_security_group", "node_security_group_tags");
    take_auth_roles(terraform, block);
    terraform->facts->kubernetes = (FactSetting){
        place_of(block), true,
        attribute_text(terraform, block,
                       hcl_attribute(block, "cluster_version") ? "cluster_version" : "kubernetes_version")};
}

static void take_karpenter(Terraform *terraform, const HclBlock *block) {
    Facts *facts = terraform->facts;

    facts->makes_queue = facts->makes_queue || !is_off(terraform, block, "enable_spot_termination");
    facts->has_access_entry = facts->has_access_entry || !is_off(terraform, block, "create_access_entry");
}

// The rows. Of modules the first one whose text is in the source.

typedef void Take(Terraform *terraform, const HclBlock *block);

typedef struct {
    const char *text;
    Take *take;
} TerraformRow;

static const TerraformRow resources[] = {{"aws_subnet", take_subnet},
                                         {"aws_default_subnet", take_subnet},
                                         {"aws_security_group", take_group},
                                         {"aws_default_security_group", take_group},
                                         {"aws_ec2_tag", take_loose_tag},
                                         {"aws_sqs_queue", take_queue},
                                         {"aws_eks_access_entry", take_access_entry},
                                         {"aws_iam_service_linked_role", take_linked_role},
                                         {"helm_release", take_release},
                                         {"kubernetes_config_map", take_config_map},
                                         {"kubernetes_config_map_v1", take_config_map},
                                         {"kubernetes_config_map_v1_data", take_config_map}};
static const TerraformRow modules[] = {
    {"modules/aws-auth", take_auth_roles},       {"modules/karpenter", take_karpenter},
    {"terraform-aws-modules/vpc/aws", take_vpc}, {"terraform-aws-vpc", take_vpc},
    {"terraform-aws-modules/eks/aws", take_eks}, {"terraform-aws-eks", take_eks}};

static void take_module(Terraform *terraform, const HclBlock *block) {
    Slice source = attribute_text(terraform, block, "source");

    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        if (slice_contains(source, slice_of(modules[i].text))) {
            modules[i].take(terraform, block);
            return;
        }
    }
}

static void take_block(Terraform *terraform, const HclBlock *block) {
    if (slice_eq(block->type, SLICE("module")))
        take_module(terraform, block);
    if (!slice_eq(block->type, SLICE("resource")))
        return;
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        if (slice_eq_text(block->labels[0], resources[i].text))
            resources[i].take(terraform, block);
    }
}

static void find_default_tags(Terraform *terraform) {
    for (vec_each(const HclBlock, block, terraform->scope.blocks)) {
        for (vec_each(const HclBlock, inner, &block->blocks)) {
            if (slice_eq(block->type, SLICE("provider")) && slice_eq(inner->type, SLICE("default_tags")))
                add_tags(terraform, &terraform->defaults, inner, "tags");
        }
    }
}

void terraform_gather(Arena *arena, const HclBlockVec *blocks, Facts *facts) {
    Terraform terraform = {arena, {.arena = arena, .blocks = blocks}, facts, value_map()};

    if (!blocks->count)
        return;
    facts->has_terraform = true;
    facts->terraform = place_of(blocks->items);
    find_default_tags(&terraform);
    for (vec_each(const HclBlock, block, blocks))
        take_block(&terraform, block);
}
