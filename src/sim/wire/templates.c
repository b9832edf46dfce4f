// Launch templates.
#include "sim/wire/form.h"
#include "sim/wire/user_data.h"
#include "sim/wire/wire_parts.h"

enum { PAGE = 200 };

WireTemplate *wire_template(const SimAws *aws, Slice id, Slice name) {
    for (vec_each(WireTemplate *, template, &aws->templates)) {
        if (!(*template)->is_deleted && (id.len ? slice_eq((*template)->id, id) : slice_eq((*template)->name, name)))
            return *template;
    }
    return NULL;
}

static const Ec2LaunchTemplate *shown(Arena *arena, const WireTemplate *template) {
    Ec2LaunchTemplate *copy = arena_new(arena, Ec2LaunchTemplate);

    *copy = (Ec2LaunchTemplate){template->id, template->name};
    return copy;
}

static void keep_tags(SimAws *aws, const Ec2TagSpecificationVec *specifications, WireTemplate *template) {
    for (vec_each(const Ec2TagSpecification, specification, specifications)) {
        for (vec_each(const Ec2Tag, tag, &specification->tags)) {
            if (slice_eq_text(specification->resource_type, "launch-template"))
                wire_tag(&aws->arena, &template->tags, tag->key, tag->value);
        }
    }
}

WireFault wire_create_template(WireCall *call) {
    SimAws *aws = call->aws;
    Ec2CreateLaunchTemplateInput input = {0}; // that stays
    WireTemplate *template;

    CHECK(wire_form_read(&aws->arena, &ec2_create_launch_template, call->body, &input, NULL) == OK, "read before");
    if (!input.launch_template_name.len || !input.launch_template_data)
        return wire_refuse("MissingParameter", "a template has a name and data");
    if (wire_template(aws, (Slice){0}, input.launch_template_name))
        return wire_refuse("InvalidLaunchTemplateName.AlreadyExistsException", "there is one of that name");
    template = arena_new(&aws->arena, WireTemplate);
    template->id = arena_printf(&aws->arena, "lt-%017x", ++aws->made);
    template->name = input.launch_template_name;
    template->data = *input.launch_template_data;
    template->user_data = wire_user_data(&aws->arena, world_symbols(aws->world), template->data.user_data);
    keep_tags(aws, &input.tag_specifications, template);
    vec_push(&aws->arena, &aws->templates, template);
    ((Ec2CreateLaunchTemplateOutput *)call->output)->launch_template = shown(call->arena, template);
    return wire_fine();
}

static bool template_has(const void *thing, Slice name, Slice value) {
    const WireTemplate *template = thing;

    if (slice_eq_text(name, "launch-template-name"))
        return slice_eq(template->name, value);
    return wire_tags_have(&template->tags, name, value);
}

static bool names_have(const SliceVec *names, Slice name) {
    for (vec_each(const Slice, other, names)) {
        if (slice_eq(*other, name))
            return true;
    }
    return !names->count;
}

WireFault wire_describe_templates(WireCall *call) {
    const Ec2DescribeLaunchTemplatesInput *input = call->input;
    Ec2DescribeLaunchTemplatesOutput *output = call->output;
    Vec(const WireTemplate *) found = {0};
    uint32_t from, to, at = 0;

    for (vec_each(const Slice, name, &input->launch_template_names)) {
        if (!wire_template(call->aws, (Slice){0}, *name))
            return wire_refuse("InvalidLaunchTemplateName.NotFoundException", "there is none of that name");
    }
    for (vec_each(WireTemplate *, template, &call->aws->templates)) {
        if (!(*template)->is_deleted && names_have(&input->launch_template_names, (*template)->name) &&
            wire_passes(&input->filters, template_has, *template))
            vec_push(call->arena, &found, *template);
    }
    output->next_token = wire_page(call->arena, input->next_token, input->max_results, PAGE, found.count, &from, &to);
    for (vec_each(const WireTemplate *, template, &found)) {
        if (wire_is_on_page(&at, from, to))
            vec_push(call->arena, &output->launch_templates, *shown(call->arena, *template));
    }
    return wire_fine();
}

WireFault wire_delete_template(WireCall *call) {
    const Ec2DeleteLaunchTemplateInput *input = call->input;
    WireTemplate *template = wire_template(call->aws, input->launch_template_id, input->launch_template_name);

    if (!template)
        return input->launch_template_id.len
                   ? wire_refuse("InvalidLaunchTemplateId.NotFound", "there is none of that id")
                   : wire_refuse("InvalidLaunchTemplateName.NotFoundException", "there is none of that name");
    template->is_deleted = true;
    ((Ec2DeleteLaunchTemplateOutput *)call->output)->launch_template = shown(call->arena, template);
    return wire_fine();
}
